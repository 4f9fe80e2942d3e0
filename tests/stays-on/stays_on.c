// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A kernel module with a device that refuses to be powered off. A hibernation therefore fails after
 * its image was made, and the kernel resumes all devices. Loaded by tests/guest/guest-sleep.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>

static int stays_on_poweroff(struct device *dev)
{
	return -EBUSY;
}

static int stays_on_probe(struct platform_device *pdev)
{
	return 0;
}

static const struct dev_pm_ops stays_on_pm_ops = {
	.poweroff_noirq = stays_on_poweroff,
};

static struct platform_driver stays_on_driver = {
	.driver = {
		.name = "stays_on",
		.pm = &stays_on_pm_ops,
	},
};

static struct platform_device *stays_on;

static int __init stays_on_init(void)
{
	stays_on = platform_create_bundle(&stays_on_driver, stays_on_probe, NULL, 0, NULL, 0);
	return PTR_ERR_OR_ZERO(stays_on);
}
module_init(stays_on_init);

static void __exit stays_on_exit(void)
{
	platform_device_unregister(stays_on);
	platform_driver_unregister(&stays_on_driver);
}
module_exit(stays_on_exit);

MODULE_DESCRIPTION("A device that does not go off");
MODULE_LICENSE("Dual MIT/GPL");
