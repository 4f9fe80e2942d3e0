// SPDX-License-Identifier: MIT
difference() {
	cube(30, center = true);
	sphere(20, $fn = 48);
}
translate([0, 0, 28]) color("tomato") cylinder(h = 20, r1 = 12, r2 = 0, $fn = 32);
