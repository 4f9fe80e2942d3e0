#version 450
// SPDX-License-Identifier: MIT
// Stores a word. With LARGE, it comes from an array that is larger than the renderer's limit.
#ifdef LARGE
#define ELEMENTS 32768
#else
#define ELEMENTS 16
#endif

layout(binding = 0) buffer Words { uint words[2]; };
uint array[ELEMENTS];

void main()
{
	array[words[0] % ELEMENTS] = 5;
	words[1] = array[words[0] % ELEMENTS];
}
