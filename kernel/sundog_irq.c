// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Interrupts: handlers that read the events of the device and call the other files for them.
 *
 * The fence and display vectors have hard interrupt handlers; hot-plugs and the event vector are
 * handled in threads. The fence handler and the event thread are in the fence signalling path. The
 * vectors are devm_ managed and end before the BARs do, so handlers may access the device.
 */

#include <linux/dma-fence.h>
#include <linux/interrupt.h>
#include <linux/pci.h>

#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>

#include "sundog_context_state.h"
#include "sundog_device.h"
#include "sundog_guest.h"
#include "sundog_irq.h"
#include "sundog_kms.h"
#include "sundog_revoke.h"
#include "sundog_sched.h"

static irqreturn_t sundog_fence_irq(int irq, void *arg)
{
	const bool cookie = dma_fence_begin_signalling();

	sundog_sched_scan(arg, NULL);
	dma_fence_end_signalling(cookie);
	return IRQ_HANDLED;
}

/* Hot-plug bits of all heads. */
#define SUNDOG_DISPLAY_EVENTS_HOTPLUG \
	(SUNDOG_DISPLAY_EVENT_HOTPLUG * ((1 << SUNDOG_MAX_HEADS) - 1))

static irqreturn_t sundog_display_irq(int irq, void *arg)
{
	struct sundog_device *sdev = arg;
	u32 events = sundog_read(sdev, SUNDOG_REG_DISPLAY_EVENTS);

	if (!events)
		return IRQ_NONE;
	sundog_write(sdev, SUNDOG_REG_DISPLAY_EVENTS, events);
	sundog_kms_event(sdev, events);
	return events & SUNDOG_DISPLAY_EVENTS_HOTPLUG ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

static irqreturn_t sundog_hotplug_irq_thread(int irq, void *arg)
{
	struct sundog_device *sdev = arg;

	if (!READ_ONCE(sdev->hotplug_held))
		drm_kms_helper_hotplug_event(&sdev->drm);
	return IRQ_HANDLED;
}

/* The device reports a renderer before the channels on it, so they find the new features. */
static void sundog_read_features(struct sundog_device *sdev)
{
	WRITE_ONCE(sdev->features, sundog_read64(sdev, SUNDOG_REG_FEATURES));
}

static const char *sundog_renderer_state(struct sundog_device *sdev)
{
	switch (sundog_read(sdev, SUNDOG_REG_RENDERER_STATE)) {
	case SUNDOG_RENDERER_STATE_NONE:
		return "none, display only";
	case SUNDOG_RENDERER_STATE_STARTING:
		return "starting";
	case SUNDOG_RENDERER_STATE_READY:
		return "ready";
	case SUNDOG_RENDERER_STATE_LOST:
		return "lost";
	default:
		return "in an unknown state";
	}
}

/* Signals the fences of channels that end, so nothing here may allocate memory. */
static irqreturn_t sundog_event_irq_thread(int irq, void *arg)
{
	struct sundog_device *sdev = arg;
	const bool cookie = dma_fence_begin_signalling();
	u32 events = sundog_read(sdev, SUNDOG_REG_DEVICE_EVENTS);

	sundog_write(sdev, SUNDOG_REG_DEVICE_EVENTS, events);
	if (events & SUNDOG_DEVICE_EVENT_RENDERER) {
		sundog_read_features(sdev);
		drm_info(&sdev->drm, "renderer: %s\n", sundog_renderer_state(sdev));
	}
	if (events & SUNDOG_DEVICE_EVENT_CHANNEL)
		sundog_channel_events(sdev);
	if (events & SUNDOG_DEVICE_EVENT_GUEST)
		sundog_guest_event(sdev);
	if (events & SUNDOG_DEVICE_EVENT_REVOKED)
		sundog_revoke_event(sdev);
	dma_fence_end_signalling(cookie);
	return IRQ_HANDLED;
}

/**
 * sundog_irq_catch_up() - handle events whose interrupts may have been lost
 * @sdev: device that was suspended
 */
void sundog_irq_catch_up(struct sundog_device *sdev)
{
	int irq = pci_irq_vector(to_pci_dev(sdev->drm.dev), SUNDOG_VECTOR_EVENT);

	sundog_read_features(sdev);
	sundog_sched_scan(sdev, NULL);
	/* Keep the interrupt thread from reading and clearing the same events. */
	disable_irq(irq);
	sundog_event_irq_thread(irq, sdev);
	enable_irq(irq);
}

/**
 * sundog_irq_hold_hotplug() - suppress hot-plug events, or allow them again
 * @sdev: device
 * @hold: true to suppress events; after false, the caller sends an event for any that was missed
 *
 * Context: may sleep; waits for a running hot-plug thread if @hold.
 */
void sundog_irq_hold_hotplug(struct sundog_device *sdev, bool hold)
{
	WRITE_ONCE(sdev->hotplug_held, hold);
	if (hold)
		synchronize_irq(pci_irq_vector(to_pci_dev(sdev->drm.dev), SUNDOG_VECTOR_DISPLAY));
}

/**
 * sundog_irq_enable_display() - enable the display interrupt
 * @sdev: device that is registered
 *
 * Delivers the interrupt of an event that occurred before.
 */
void sundog_irq_enable_display(struct sundog_device *sdev)
{
	enable_irq(pci_irq_vector(to_pci_dev(sdev->drm.dev), SUNDOG_VECTOR_DISPLAY));
}

/**
 * sundog_irq_init() - request all interrupts, and enable all but the display interrupt
 * @sdev: device, with everything set up that the handlers access
 * @pdev: PCI device of @sdev
 *
 * Return: 0 or a negative error code.
 */
int sundog_irq_init(struct sundog_device *sdev, struct pci_dev *pdev)
{
	struct device *dev = &pdev->dev;
	int ret;

	ret = pci_alloc_irq_vectors(pdev, SUNDOG_NUM_VECTORS, SUNDOG_NUM_VECTORS, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;
	/* From here on an event stays pending until its handler is requested. */
	sundog_read_features(sdev);
	drm_info(&sdev->drm, "renderer: %s\n", sundog_renderer_state(sdev));

	ret = devm_request_irq(dev, pci_irq_vector(pdev, SUNDOG_VECTOR_FENCE), sundog_fence_irq,
			       0, "sundog-fence", sdev);
	if (ret)
		return ret;
	/* Not enabled yet: a hot-plug sends a uevent of the DRM minor, which does not exist yet. */
	ret = devm_request_threaded_irq(dev, pci_irq_vector(pdev, SUNDOG_VECTOR_DISPLAY),
					sundog_display_irq, sundog_hotplug_irq_thread,
					IRQF_NO_AUTOEN, "sundog-display", sdev);
	if (ret)
		return ret;
	return devm_request_threaded_irq(dev, pci_irq_vector(pdev, SUNDOG_VECTOR_EVENT),
					 NULL, sundog_event_irq_thread,
					 IRQF_ONESHOT, "sundog-event", sdev);
}
