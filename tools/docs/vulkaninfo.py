# SPDX-License-Identifier: MIT
"""Parse the output of vulkaninfo for the first device. Used by the scripts beside it: read(path)
returns a Report of a log file."""

import re

GROUPS = {
    "VkPhysicalDeviceFeatures": "1.0",
    "VkPhysicalDeviceVulkan11Features": "1.1",
    "VkPhysicalDeviceVulkan12Features": "1.2",
    "VkPhysicalDeviceVulkan13Features": "1.3",
    "VkPhysicalDeviceVulkan14Features": "1.4",
}


class Report:
    """Keeps the version of the device, the names of the extensions of the instance and of the
    device, and the features: name -> the version of Vulkan that has the feature, or an empty string
    if an extension has it."""

    def __init__(self, text):
        self.version = re.search(r"^\s*apiVersion\s*=\s*([\d.]+)", text, re.MULTILINE)[1]
        self.instance = self.names(text, "Instance Extensions")
        self.device = self.names(text, "Device Extensions")
        self.features = {}
        for struct, body in re.findall(r"^(VkPhysicalDevice\w*Features\w*):\n[-=]+\n"
                                       r"((?:\t\w+ *= \w+\n)*)", text, re.MULTILINE):
            for name in re.findall(r"(\w+) *= true", body):
                self.features[name] = GROUPS.get(struct) or self.features.get(name, "")

    @staticmethod
    def names(text, title):
        listed = re.search(rf"^{title}: count = \d+\n(?:=+\n)?((?:\tVK_\w+ *: .*\n)*)", text,
                           re.MULTILINE)
        return set(re.findall(r"VK_\w+", listed[1]))


def read(path):
    """Return the report of a log; None: vulkaninfo failed."""
    text = path.read_text() if path.exists() else ""
    return Report(text) if "VkPhysicalDeviceFeatures:" in text else None
