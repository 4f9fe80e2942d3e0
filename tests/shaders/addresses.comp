#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
// SPDX-License-Identifier: MIT
// Reads, writes and changes what is at an address that a test chooses, in each of the ways that there are.
layout(local_size_x = 1) in;

// WORDS: of a struct that is copied, which take long to compile if they are many.
struct Large {
	uint words[WORDS];
};

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
	uint word[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors {
	uvec4 vector[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Larges {
	Large large[];
};

layout(push_constant) uniform Push {
	uvec2 at, result;
	uint way, index, value, times;
};

void main()
{
	Words words = Words(at), out_words = Words(result);

	switch (way) {
	case 0:
		out_words.word[0] = words.word[index];
		break;
	case 1:
		words.word[index] = value;
		break;
	case 2:
		out_words.word[0] = atomicAdd(words.word[index], value);
		break;
	case 3:
		Vectors(result).vector[0] = Vectors(at).vector[index];
		break;
	case 4:
		Vectors(at).vector[index] = uvec4(value);
		break;
	case 5:
		Larges(result).large[0] = Larges(at).large[index];
		break;
	case 6:
		Larges(at).large[index] = Larges(result).large[0];
		break;
	case 7:
		out_words.word[0] = atomicCompSwap(words.word[index], value, value + 1);
		break;
	case 8:
		for (uint i = 0; i < times; i++)
			words.word[i % 1024] = value;
		break;
	}
	out_words.word[1000] = 1;
}
