/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef _SUNDOG_IRQ_H_
#define _SUNDOG_IRQ_H_

struct pci_dev;
struct sundog_device;

int sundog_irq_init(struct sundog_device *sdev, struct pci_dev *pdev);

#endif
