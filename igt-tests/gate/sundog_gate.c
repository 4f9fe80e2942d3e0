// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/sundog_gate: fences that user space signals, for the tests of the kernel driver. The
 * alternatives do not suffice: fences of vgem signal by themselves after 10 seconds, which a test
 * can need on a busy machine, and few kernels have sw_sync.
 *
 * An open file has any number of fences, each of a fence context of its own. write() signals all of
 * them, and so do the last close() and a timeout that the test chooses: a test that hangs must not
 * block others, nor its own DRM file, which may close before this one.
 *
 * It also suspends and resumes the devices of the driver, because the root of most test guests does
 * not survive the suspend of a guest.
 *
 * The module has no exit function: drivers may keep the fences after their file is closed.
 */

#include <linux/dma-fence.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <linux/workqueue.h>

#include "sundog_gate_uapi.h"

struct gate_fence {
	struct dma_fence base;
	spinlock_t lock;		/* protects @base */
	struct list_head node;		/* in gate->fences, which holds a reference */
};

struct gate {
	struct mutex lock;		/* protects @fences */
	struct list_head fences;	/* not signalled yet */
	struct delayed_work timeout;
};

static const char *gate_fence_driver_name(struct dma_fence *base)
{
	return "sundog_gate";
}

static const char *gate_fence_timeline_name(struct dma_fence *base)
{
	return "gate";
}

static const struct dma_fence_ops gate_fence_ops = {
	.get_driver_name = gate_fence_driver_name,
	.get_timeline_name = gate_fence_timeline_name,
};

static struct gate_fence *gate_fence_create(void)
{
	struct gate_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence)
		return NULL;
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &gate_fence_ops, &fence->lock, dma_fence_context_alloc(1), 1);
	return fence;
}

/*
 * Adds @fence to the gate, which takes over the reference. Returns a file descriptor of its
 * sync_file or a negative error code; an error drops the reference.
 */
static int gate_add(struct gate *gate, struct gate_fence *fence)
{
	struct sync_file *sync_file = sync_file_create(&fence->base);
	int fd = -ENOMEM;

	if (!sync_file)
		goto err_fence;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		goto err_file;
	mutex_lock(&gate->lock);
	list_add_tail(&fence->node, &gate->fences);
	mutex_unlock(&gate->lock);
	fd_install(fd, sync_file->file);
	return fd;

err_file:
	fput(sync_file->file);
err_fence:
	dma_fence_put(&fence->base);
	return fd;
}

static void gate_signal(struct gate *gate)
{
	struct gate_fence *fence, *next;

	mutex_lock(&gate->lock);
	list_for_each_entry_safe(fence, next, &gate->fences, node) {
		list_del(&fence->node);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
	}
	mutex_unlock(&gate->lock);
}

static void gate_timeout(struct work_struct *work)
{
	gate_signal(container_of(work, struct gate, timeout.work));
}

static int gate_open(struct inode *inode, struct file *file)
{
	struct gate *gate = kzalloc(sizeof(*gate), GFP_KERNEL);

	if (!gate)
		return -ENOMEM;
	mutex_init(&gate->lock);
	INIT_LIST_HEAD(&gate->fences);
	INIT_DELAYED_WORK(&gate->timeout, gate_timeout);
	file->private_data = gate;
	return 0;
}

static int gate_release(struct inode *inode, struct file *file)
{
	struct gate *gate = file->private_data;

	cancel_delayed_work_sync(&gate->timeout);
	gate_signal(gate);
	mutex_destroy(&gate->lock);
	kfree(gate);
	return 0;
}

static ssize_t gate_write(struct file *file, const char __user *data, size_t size, loff_t *offset)
{
	gate_signal(file->private_data);
	return size;
}

/* Calls the driver as the PCI bus does in a suspend to RAM, or, with @data, to disk. */
#ifdef CONFIG_PM_SLEEP
static int gate_sleep(struct device *dev, void *data)
{
	int ret = 0;

	device_lock(dev);
	if (dev->driver && !strcmp(dev->driver->name, "sundog")) {
		ret = data ? pm_generic_freeze(dev) : pm_generic_suspend(dev);
		if (!ret)
			ret = data ? pm_generic_thaw(dev) : pm_generic_resume(dev);
	}
	device_unlock(dev);
	return ret;
}
#else
static int gate_sleep(struct device *dev, void *data)
{
	return -EOPNOTSUPP;
}
#endif

static long gate_ioctl(struct file *file, unsigned int command, unsigned long ms)
{
	struct gate *gate = file->private_data;
	struct gate_fence *fence;
	int fd;

	if (command == SUNDOG_GATE_SLEEP)
		return bus_for_each_dev(&pci_bus_type, NULL, (void *)ms, gate_sleep);
	if (command != SUNDOG_GATE_FENCE)
		return -ENOTTY;
	if (ms > INT_MAX)
		return -EINVAL;
	fence = gate_fence_create();
	if (!fence)
		return -ENOMEM;
	fd = gate_add(gate, fence);
	if (fd >= 0)
		mod_delayed_work(system_wq, &gate->timeout, msecs_to_jiffies(ms));
	return fd;
}

static const struct file_operations gate_fops = {
	.owner = THIS_MODULE,
	.open = gate_open,
	.release = gate_release,
	.write = gate_write,
	.unlocked_ioctl = gate_ioctl,
};

static struct miscdevice gate_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "sundog_gate",
	.fops = &gate_fops,
};

static int __init gate_init(void)
{
	return misc_register(&gate_device);
}
module_init(gate_init);

MODULE_DESCRIPTION("Fences that user space signals, for tests of sundog");
MODULE_LICENSE("Dual MIT/GPL");
