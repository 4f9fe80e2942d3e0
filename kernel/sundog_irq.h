/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Setup of interrupts, and events that are caught up on. */
#ifndef _SUNDOG_IRQ_H_
#define _SUNDOG_IRQ_H_

#include <linux/types.h>

struct pci_dev;
struct sundog_device;

void sundog_irq_catch_up(struct sundog_device *sdev);
void sundog_irq_hold_hotplug(struct sundog_device *sdev, bool hold);
void sundog_irq_enable_display(struct sundog_device *sdev);
int sundog_irq_init(struct sundog_device *sdev, struct pci_dev *pdev);

#endif
