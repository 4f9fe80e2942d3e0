// SPDX-License-Identifier: MIT
/*
 * Tessellation: inputs of its shaders, generated vertices and their order, and outputs to later
 * stages. Prints TAP.
 */
#include "gl-core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER								\
	"#version 330\n"						\
	"#extension GL_ARB_tessellation_shader: require\n"		\
	"#extension GL_ARB_arrays_of_arrays: require\n"
#define MAX_POINTS 8192

/* Draws the patch at the position of its corners, in the colour of the program. */
static const char quad_source[] = HEADER
	"layout(quads, ccw, equal_spacing) in;\n"
	"void main() {\n"
	"	vec4 below = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);\n"
	"	vec4 above = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x);\n"
	"	gl_Position = mix(below, above, gl_TessCoord.y);\n"
	"}\n";

static const char color_source[] =
	"#version 330\n"
	"uniform vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = gl_FrontFacing ? color : color.bgra; }\n";

/* The whole picture as a patch of four vertices; smaller patches use the first ones. */
static const GLfloat corners[] = { -1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1 };

/*
 * Captures the vec4s of a draw of patches to @out. Returns the number of captured vertices, at most
 * MAX_POINTS.
 */
static int capture(GLuint program, int patch_vertices, int n_vertices, GLenum primitive,
		   GLfloat (*out)[4])
{
	const size_t size = MAX_POINTS * sizeof(*out);
	GLuint buffer = core_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, size, NULL), query, n = 0;

	glGenQueries(1, &query);
	glUseProgram(program);
	glPatchParameteri(GL_PATCH_VERTICES, patch_vertices);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
	glBeginTransformFeedback(primitive);
	glDrawArrays(GL_PATCHES, 0, n_vertices);
	glEndTransformFeedback();
	glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	glDisable(GL_RASTERIZER_DISCARD);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &n);
	n *= primitive == GL_POINTS ? 1 : primitive == GL_LINES ? 2 : 3;
	if (n > MAX_POINTS)
		n = MAX_POINTS;
	glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, n * sizeof(*out), out);
	glDeleteQueries(1, &query);
	glDeleteBuffers(1, &buffer);
	return n;
}

static GLuint capturing(const char *vertex, const char *control, const char *evaluation,
			const char *geometry)
{
	static const char *const varyings[] = { "captured" };
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_TESS_CONTROL_SHADER, control },
		{ GL_TESS_EVALUATION_SHADER, evaluation }, { GL_GEOMETRY_SHADER, geometry }, { 0 },
	};

	return core_link(shaders, 1, varyings, GL_INTERLEAVED_ATTRIBS);
}

static GLuint drawing(const char *vertex, const char *control, const char *evaluation,
		      const char *fragment)
{
	const struct core_shader shaders[] = {
		{ GL_VERTEX_SHADER, vertex }, { GL_TESS_CONTROL_SHADER, control },
		{ GL_TESS_EVALUATION_SHADER, evaluation }, { GL_FRAGMENT_SHADER, fragment }, { 0 },
	};

	return core_link(shaders, 0, NULL, 0);
}

static bool is_near(const GLfloat *a, float x, float y, float z, float w)
{
	return fabsf(a[0] - x) < 1e-5f && fabsf(a[1] - y) < 1e-5f && fabsf(a[2] - z) < 1e-5f &&
	       fabsf(a[3] - w) < 1e-5f;
}

static bool has_point(int n, GLfloat (*points)[4], float x, float y, float z, float w)
{
	for (int i = 0; i < n; i++)
		if (is_near(points[i], x, y, z, w))
			return true;
	return false;
}

static void set_levels(float outer0, float outer1, float outer2, float outer3, float inner0,
		       float inner1)
{
	const GLfloat outer[] = { outer0, outer1, outer2, outer3 }, inner[] = { inner0, inner1 };

	glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, outer);
	glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, inner);
}

/* Domains */

#define COORDINATES(layout)						\
	HEADER								\
	"layout(" layout ") in;\n"					\
	"out vec4 captured;\n"						\
	"void main() { captured = vec4(gl_TessCoord, 1); gl_Position = vec4(0); }\n"

static void test_domains(void)
{
	static GLfloat points[MAX_POINTS][4];
	bool all = true;
	int n;

	set_levels(2, 2, 2, 2, 2, 2);
	n = capture(capturing(core_position, NULL, COORDINATES("quads, equal_spacing, point_mode"),
			      NULL),
		    4, 4, GL_POINTS, points);
	for (int i = 0; i < 9; i++)
		all = all && has_point(n, points, i % 3 / 2.0f, i / 3 / 2.0f, 0, 1);
	tap(n == 9 && all, "a quad of level 2 has nine points: %d", n);

	n = capture(capturing(core_position, NULL, COORDINATES("quads, equal_spacing"), NULL), 4, 4,
		    GL_TRIANGLES, points);
	tap(n == 8 * 3, "and eight triangles: %d corners", n);

	set_levels(1, 1, 1, 1, 1, 1);
	n = capture(capturing(core_position, NULL, COORDINATES("triangles, equal_spacing"), NULL),
		    3, 3, GL_TRIANGLES, points);
	tap(n == 3 && has_point(n, points, 1, 0, 0, 1) && has_point(n, points, 0, 1, 0, 1) &&
	    has_point(n, points, 0, 0, 1, 1), "a triangle of level 1 is itself: %d corners", n);

	set_levels(3, 4, 0, 0, 0, 0);
	n = capture(capturing(core_position, NULL, COORDINATES("isolines, equal_spacing"), NULL), 2,
		    2, GL_LINES, points);
	all = true;
	for (int line = 0; line < 3; line++)
		for (int i = 0; i <= 4; i++)
			all = all && has_point(n, points, i / 4.0f, line / 3.0f, 0, 1);
	tap(n == 3 * 4 * 2 && all, "three lines of four parts: %d ends", n);

	set_levels(64, 64, 0, 0, 0, 0);
	n = capture(capturing(core_position, NULL, COORDINATES("isolines, equal_spacing"), NULL), 1,
		    1, GL_LINES, points);
	tap(n == 64 * 64 * 2, "64 lines of 64 parts, from a patch of one vertex: %d ends", n);

	set_levels(1e6f, 1, 1, 1, 1, 1);
	n = capture(capturing(core_position, NULL, COORDINATES("isolines, equal_spacing"), NULL), 2,
		    2, GL_LINES, points);
	tap(n == 64 * 2, "levels have a limit: %d ends", n);

	set_levels(0, 1, 1, 1, 1, 1);
	n = capture(capturing(core_position, NULL, COORDINATES("quads, equal_spacing"), NULL), 4, 4,
		    GL_TRIANGLES, points);
	tap(!n, "an outer level of 0 drops the patch");

	set_levels(2.5f, 2.5f, 2.5f, 2.5f, 1, 1);
	n = capture(capturing(core_position, NULL, COORDINATES("isolines, fractional_odd_spacing"),
			      NULL),
		    2, 2, GL_LINES, points);
	tap(n == 3 * 3 * 2, "2.5 is three parts with odd spacing: %d ends", n);
	n = capture(capturing(core_position, NULL, COORDINATES("isolines, fractional_even_spacing"),
			      NULL),
		    2, 2, GL_LINES, points);
	tap(n == 3 * 4 * 2, "and four with even spacing: %d ends", n);
}

/* Winding order of the triangles, and the origin of the domain. */
static void test_winding(void)
{
	static const char *const layouts[] = { "quads, ccw, equal_spacing",
					       "quads, cw, equal_spacing" };
	char source[1024];
	GLuint program;

	set_levels(3, 3, 3, 3, 3, 3);
	glPatchParameteri(GL_PATCH_VERTICES, 4);
	for (int i = 0; i < 2; i++) {
		snprintf(source, sizeof(source), HEADER "layout(%s) in;\n%s", layouts[i],
			 strstr(quad_source, "void main"));
		program = drawing(core_position, NULL, source, color_source);
		glUseProgram(program);
		glUniform4f(glGetUniformLocation(program, "color"), 1, 0, 0, 1);
		glClearColor(0, 1, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		glDrawArrays(GL_PATCHES, 0, 4);
		tap(gl_pixel_is(1, 1, i ? 0x0000ffff : 0xff0000ff, 0) &&
			    gl_pixel_is(14, 14, i ? 0x0000ffff : 0xff0000ff, 0),
		    "%s: the %s is seen", layouts[i], i ? "back" : "front");
		glDeleteProgram(program);
	}
}

/* Draws only the part of the domain near its origin. */
static void test_origin(void)
{
	static const char source[] = HEADER
		"layout(triangles, equal_spacing) in;\n"
		"void main() {\n"
		"	gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + "
		"gl_TessCoord.y * gl_in[1].gl_Position +\n"
		"		gl_TessCoord.z * gl_in[2].gl_Position;\n"
		"}\n";
	GLuint program = drawing(core_position, NULL, source, color_source);

	set_levels(5, 5, 5, 1, 5, 1);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), 1, 0, 0, 1);
	glClearColor(0, 1, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_PATCHES, 0, 3);
	tap(gl_pixel_is(1, 1, 0xff0000ff, 0) && gl_pixel_is(2, 11, 0xff0000ff, 0) &&
		    gl_pixel_is(14, 14, 0x00ff00ff, 0),
	    "a triangle is where its corners are, front first");
	glDeleteProgram(program);
}

/* Outputs from stage to stage */

static const char number_source[] = HEADER
	"in vec4 vertex;\n"
	"out ivec2 number;\n"
	"out vec4 parts[3];\n"
	"void main() {\n"
	"	gl_Position = vertex;\n"
	"	gl_PointSize = float(gl_VertexID) + 2.0;\n"
	"	number = ivec2(gl_VertexID, -gl_VertexID);\n"
	"	for (int i = 0; i < 3; i++)\n"
	"		parts[i] = vec4(gl_VertexID, i, 7, 9);\n"
	"}\n";

/* Without a control shader. */
static void test_passthrough(void)
{
	static const char source[] = HEADER
		"layout(isolines, point_mode) in;\n"
		"in ivec2 number[];\n"
		"in vec4 parts[][3];\n"
		"out vec4 captured;\n"
		"void main() {\n"
		"	captured = vec4(gl_PatchVerticesIn, number[4].x - number[3].y, "
		"parts[2][1].x * 10.0 + parts[2][1].y,\n"
		"		gl_in[3].gl_PointSize);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static GLfloat points[MAX_POINTS][4];
	GLuint program = capturing(number_source, NULL, source, NULL);
	int n;

	set_levels(1, 1, 1, 1, 1, 1);
	n = capture(program, 5, 5, GL_POINTS, points);
	tap(n == 2 && is_near(points[0], 5, 7, 21, 5),
	    "five vertices pass as they are: %f %f %f %f", points[0][0], points[0][1], points[0][2],
	    points[0][3]);
	n = capture(program, 32, 32, GL_POINTS, points);
	tap(n == 2 && is_near(points[0], 32, 7, 21, 5), "so do 32: %f %f %f %f", points[0][0],
	    points[0][1], points[0][2], points[0][3]);
	glDeleteProgram(program);
}

static void test_control(void)
{
	static const char control[] = HEADER
		"layout(vertices = 3) out;\n"
		"in ivec2 number[];\n"
		"in vec4 parts[][3];\n"
		"out ivec3 mine[];\n"
		"patch out vec4 whole[2];\n"
		"patch out ivec2 primitive;\n"
		"uniform int add;\n"
		"void main() {\n"
		"	mine[gl_InvocationID] = ivec3(gl_InvocationID, "
		"number[gl_InvocationID * 2].x, add);\n"
		"	barrier();\n"
		"	if (gl_InvocationID == 2) {\n"
		"		whole[0] = vec4(mine[0].y + mine[1].y + mine[2].y, "
		"gl_PatchVerticesIn, 0, 0);\n"
		"		whole[1] = parts[1][2];\n"
		"		primitive = ivec2(gl_PrimitiveID, 5);\n"
		"	}\n"
		"	gl_TessLevelOuter[0] = 1.0;\n"
		"	gl_TessLevelOuter[1] = 2.0;\n"
		"}\n";
	static const char evaluation[] = HEADER
		"layout(isolines, point_mode) in;\n"
		"in ivec3 mine[];\n"
		"patch in vec4 whole[2];\n"
		"patch in ivec2 primitive;\n"
		"out vec4 captured;\n"
		"void main() {\n"
		"	captured = vec4(whole[0].x * 10.0 + whole[0].y, whole[1].y * 100.0 + "
		"primitive.x * 10 + gl_PrimitiveID,\n"
		"		mine[1].x * 100 + mine[2].y * 10 + mine[0].z, "
		"gl_TessLevelOuter[1] * 10.0 + gl_PatchVerticesIn);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static GLfloat points[MAX_POINTS][4];
	GLuint program = capturing(number_source, control, evaluation, NULL);
	int n;

	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "add"), 3);
	n = capture(program, 5, 10, GL_POINTS, points);
	/* The second patch has vertices 5 to 9. */
	tap(n == 6 && is_near(points[0], 65, 200, 143, 23) && is_near(points[3], 215, 211, 193, 23),
	    "a control shader makes three of five: %d, %f %f %f %f", n, points[3][0], points[3][1],
	    points[3][2], points[3][3]);
	glDeleteProgram(program);
}

/* The maximum number of varyings. */
static void test_many(void)
{
	static const char control[] = HEADER
		"layout(vertices = 2) out;\n"
		"out vec4 many[][30];\n"
		"patch out vec4 patches[20];\n"
		"void main() {\n"
		"	for (int i = 0; i < 30; i++)\n"
		"		many[gl_InvocationID][i] = vec4(i + gl_InvocationID);\n"
		"	for (int i = 0; i < 20; i++)\n"
		"		patches[i] = vec4(i * 2);\n"
		"	gl_TessLevelOuter[0] = 1.0;\n"
		"	gl_TessLevelOuter[1] = 1.0;\n"
		"}\n";
	static const char evaluation[] = HEADER
		"layout(isolines, point_mode) in;\n"
		"in vec4 many[][30];\n"
		"patch in vec4 patches[20];\n"
		"uniform int at;\n"
		"out vec4 captured;\n"
		"void main() {\n"
		"	vec4 sum = vec4(0);\n"
		"	for (int i = 0; i < 30; i++)\n"
		"		sum += many[1][i];\n"
		"	for (int i = 0; i < 20; i++)\n"
		"		sum += patches[i];\n"
		"	captured = vec4(sum.x, many[0][at].y, patches[at].z, 1);\n"
		"	gl_Position = vec4(0);\n"
		"}\n";
	static GLfloat points[MAX_POINTS][4];
	GLuint program = capturing(core_position, control, evaluation, NULL);
	int n;

	glUseProgram(program);
	glUniform1i(glGetUniformLocation(program, "at"), 17);
	n = capture(program, 4, 4, GL_POINTS, points);
	tap(n == 2 && is_near(points[0], 845, 17, 34, 1),
	    "30 varyings and 20 of the patch: %d, %f %f %f", n, points[0][0], points[0][1],
	    points[0][2]);
	glDeleteProgram(program);
}

static void test_geometry(void)
{
	static const char evaluation[] = HEADER
		"layout(triangles, equal_spacing) in;\n"
		"out vec3 at;\n"
		"void main() { at = gl_TessCoord; gl_Position = vec4(0); }\n";
	static const char geometry[] =
		"#version 330\n"
		"layout(triangles) in;\n"
		"layout(points, max_vertices = 1) out;\n"
		"in vec3 at[];\n"
		"out vec4 captured;\n"
		"void main() {\n"
		"	captured = vec4(at[0] + at[1] + at[2], gl_PrimitiveIDIn);\n"
		"	gl_Position = vec4(0);\n"
		"	EmitVertex();\n"
		"}\n";
	static GLfloat points[MAX_POINTS][4];
	GLuint program = capturing(core_position, NULL, evaluation, geometry);
	int n;

	set_levels(1, 1, 1, 1, 1, 1);
	n = capture(program, 3, 3, GL_POINTS, points);
	tap(n == 1 && is_near(points[0], 1, 1, 1, 0), "a geometry shader follows: %d, %f %f %f", n,
	    points[0][0], points[0][1], points[0][2]);
	glDeleteProgram(program);
}

/* Both tessellation shaders read textures and uniform blocks, and write clip distances. */
static void test_resources(void)
{
	static const char control[] = HEADER
		"layout(vertices = 4) out;\n"
		"uniform sampler2D levels;\n"
		"void main() {\n"
		"	float level = textureLod(levels, vec2(0.5), 0.0).x * 4.0;\n"
		"	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
		"	for (int i = 0; i < 4; i++)\n"
		"		gl_TessLevelOuter[i] = level;\n"
		"	gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;\n"
		"}\n";
	static const char evaluation[] = HEADER
		"layout(quads, ccw) in;\n"
		"layout(std140) uniform Block { vec4 scale; vec4 plane; };\n"
		"out float gl_ClipDistance[1];\n"
		"void main() {\n"
		"	vec4 below = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, "
		"gl_TessCoord.x);\n"
		"	vec4 above = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, "
		"gl_TessCoord.x);\n"
		"	gl_Position = mix(below, above, gl_TessCoord.y) * scale;\n"
		"	gl_ClipDistance[0] = dot(gl_Position, plane);\n"
		"}\n";
	static const GLfloat block[] = { 0.5f, 0.5f, 1, 1, 1, 0, 0, 0 };
	const GLubyte one[] = { 255, 255, 255, 255 };
	GLuint program = drawing(core_position, control, evaluation, color_source), texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, one);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0,
			 core_buffer(GL_UNIFORM_BUFFER, sizeof(block), block));
	glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Block"), 0);
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), 1, 0, 0, 1);
	glPatchParameteri(GL_PATCH_VERTICES, 4);
	glClearColor(0, 1, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_PATCHES, 0, 4);
	tap(gl_pixel_is(5, 5, 0xff0000ff, 0) && gl_pixel_is(2, 2, 0x00ff00ff, 0),
	    "a texture and a block of uniforms");
	glEnable(GL_CLIP_DISTANCE0);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_PATCHES, 0, 4);
	glDisable(GL_CLIP_DISTANCE0);
	tap(gl_pixel_is(5, 5, 0x00ff00ff, 0) && gl_pixel_is(10, 5, 0xff0000ff, 0),
	    "a clip distance");
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

/*
 * Patches from an index buffer and of several instances, in turns with draws that are not
 * tessellated.
 */
static void test_draws(void)
{
	static const GLushort indices[] = { 3, 2, 1, 0 };
	static const char instanced[] = HEADER
		"in vec4 vertex;\n"
		"void main() {\n"
		"	gl_Position = vec4(vertex.x * 0.5 - 0.5 + float(gl_InstanceID), "
		"vertex.y * 0.5, vertex.zw);\n"
		"}\n";
	GLuint program = drawing(instanced, NULL, quad_source, color_source);
	GLuint plain = core_stages(core_position, NULL, color_source);

	glUseProgram(plain);
	glUniform4f(glGetUniformLocation(plain, "color"), 0, 1, 0, 1);
	glUseProgram(program);
	glUniform4f(glGetUniformLocation(program, "color"), 1, 0, 0, 1);
	core_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices);
	set_levels(3, 3, 3, 3, 3, 3);
	for (int i = 0; i < 3; i++) {
		glUseProgram(plain);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glUseProgram(program);
		glPatchParameteri(GL_PATCH_VERTICES, 4);
		glDrawElementsInstanced(GL_PATCHES, 4, GL_UNSIGNED_SHORT, NULL, 2);
	}
	tap(gl_pixel_is(4, 7, 0xff0000ff, 0) && gl_pixel_is(12, 7, 0xff0000ff, 0) &&
		    gl_pixel_is(7, 2, 0x00ff00ff, 0),
	    "two instances of an indexed patch, turned by half");
	glDeleteProgram(program);
	glDeleteProgram(plain);
}

static bool pixels_are(uint32_t inside, uint32_t edge)
{
	return gl_pixel_is(10, 8, inside, 0) && gl_pixel_is(8, 3, edge, 0) &&
	       gl_pixel_is(3, 9, edge, 0);
}

/*
 * The same shaders with filled and unfilled polygons, in any order: the number of varyings from the
 * evaluation shader to fragments that read gl_FrontFacing can differ then.
 */
static void test_modes(void)
{
	static const char placing_source[] = HEADER
		"layout(quads, ccw, equal_spacing) in;\n"
		"out vec4 places[3];\n"
		"void main() {\n"
		"	vec4 below = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, "
		"gl_TessCoord.x);\n"
		"	vec4 above = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, "
		"gl_TessCoord.x);\n"
		"	gl_Position = mix(below, above, gl_TessCoord.y) * vec4(0.5625, "
		"0.5625, 1, 1);\n"
		"	for (int i = 0; i < 3; i++)\n"
		"		places[i] = gl_TessCoord.xyxy * vec4(1, 2, 3, 4) + float(i);\n"
		"}\n";
	static const char looking_source[] =
		"#version 330\n"
		"in vec4 places[3];\n"
		"out vec4 result;\n"
		"void main() {\n"
		"	bool right = all(lessThan(abs(places[1] - places[0] - 1.0), "
		"vec4(0.01))) &&\n"
		"		all(lessThan(abs(places[2] - places[0] - 2.0), vec4(0.01)));\n"
		"	result = vec4(!right, right, !gl_FrontFacing, 1.0);\n"
		"}\n";
	static const GLenum modes[] = { GL_FILL, GL_LINE, GL_FILL, GL_LINE,
					GL_LINE, GL_FILL, GL_POINT, GL_FILL };
	bool right = true;

	glPatchParameteri(GL_PATCH_VERTICES, 4);
	set_levels(1, 1, 1, 1, 1, 1);
	glClearColor(0, 0, 0, 1);
	for (int first = 0; first < 2; first++) {
		glUseProgram(drawing(core_position, NULL, placing_source, looking_source));
		for (size_t i = 3 * first; i < sizeof(modes) / sizeof(modes[0]); i++) {
			glPolygonMode(GL_FRONT_AND_BACK, modes[i]);
			glClear(GL_COLOR_BUFFER_BIT);
			glDrawArrays(GL_PATCHES, 0, 4);
			if (modes[i] != GL_POINT)
				right &= pixels_are(modes[i] == GL_FILL ? 0x00ff00ff : 0x000000ff,
						    0x00ff00ff);
		}
	}
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	tap(right, "patches that are filled, and lines, and filled");
}

int main(void)
{
	core_open();
	core_buffer(GL_ARRAY_BUFFER, sizeof(corners), corners);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	test_domains();
	test_winding();
	test_origin();
	test_passthrough();
	test_control();
	test_many();
	test_geometry();
	test_resources();
	test_draws();
	test_modes();
	tap(core_no_error(), "there is no error to tell");
	gl_close();
	return tap_failures() != 0;
}
