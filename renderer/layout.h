/* SPDX-License-Identifier: MIT */
/*
 * How the host lays out images with optimal tiling, and whether that follows the simple rule that
 * lets drivers map them: see docs/device.md, Image layout.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

struct worker;

/*
 * Find the parameters of the rule, compare them with what the host does to a set of images, and set
 * the layout_* capabilities and feature LINEAR_LAYOUT, or leave them at NONE.
 */
void layout_probe(struct worker *w);

#endif
