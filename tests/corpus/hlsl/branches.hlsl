// SPDX-License-Identifier: MIT
// Control flow in pixel shaders. "entry" lines name the entry points and their profiles.
// entry: ps_early_return ps_5_0
// entry: ps_switch ps_5_0
// entry: ps_switch_return ps_5_0
// entry: ps_nested ps_5_0
// entry: ps_discard_loop ps_5_0
// entry: ps_select ps_5_0
cbuffer params : register(b0)
{
	float4 scale;
	int4 counts;
};

float4 ps_early_return(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	if (uv.x < 0.25) {
		if (uv.y < 0.5)
			return scale;
		else
			return scale * 2;
	} else if (uv.x < 0.5) {
		return float4(uv, 0, 1);
	}
	return float4(0, uv, 1);
}

float4 ps_switch(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	float4 colour = 0;
	switch (counts.x) {
	case 0:
		colour = scale;
		break;
	case 1:
	case 2:
		colour.x = uv.x;
		break;
	case 7:
		for (int i = 0; i < counts.y; i++)
			colour.y += uv.y * i;
		break;
	default:
		colour.w = 1;
		break;
	}
	return colour;
}

float4 pick(int which, float2 uv)
{
	switch (which) {
	case 0: return float4(uv, 0, 0);
	case 3: return float4(0, uv, 0);
	case 4: return float4(0, 0, uv);
	default: return scale;
	}
}

float4 ps_switch_return(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	return pick(counts.x, uv) + pick(counts.y, uv.yx);
}

float4 ps_nested(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	float4 sum = 0;
	for (int i = 0; i < counts.x; i++) {
		for (int j = i; j < counts.y; j++) {
			if (j == counts.z)
				continue;
			if (i * j > counts.w)
				break;
			sum += float4(i, j, uv);
		}
		if (sum.x > 100)
			return sum;
	}
	return sum * scale;
}

float4 ps_discard_loop(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	int i = 0;
	while (i < counts.x) {
		if (uv.x * i > 3)
			discard;
		i++;
	}
	clip(uv.y - 0.1);
	return scale * i;
}

float4 ps_select(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
	bool2 small = uv < 0.5;
	float4 a = small.x ? scale : scale.wzyx;
	return all(small) ? a : any(small) ? a * 2 : lerp(a, scale, uv.x);
}
