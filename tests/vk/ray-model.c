// SPDX-License-Identifier: MIT
/*
 * The model of the tests of rays: tests each ray with each triangle on the CPU, in doubles, by the
 * rules of Vulkan 1.4, chapter "Ray Traversal". See ray-scene.h.
 */
#include "ray-scene.h"

#include <math.h>
#include <stdio.h>

#define NEAR 1e-3		/* of barycentric coordinates, and of t in relation to 1 + t */
#define GRAZING 1e-3		/* cosine between a ray and the normal of a triangle */

uint32_t ray_random(void)
{
	static uint64_t state = 0x853c49e6748fea9b;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 32;
}

float ray_random_float(float low, float high)
{
	return low + (high - low) * (ray_random() >> 8) / (1 << 24);
}

void ray_random_corners(float (*corners)[3], uint32_t triangles, float room, float size)
{
	for (uint32_t i = 0; i < triangles; i++) {
		float center[3];

		for (int d = 0; d < 3; d++)
			center[d] = ray_random_float(-room, room);
		for (int c = 0; c < 3; c++)
			for (int d = 0; d < 3; d++)
				corners[3 * i + c][d] = center[d] + ray_random_float(-size, size);
	}
}

/* A rotation about two axes, times a scale, and a shear of y by x. */
void ray_random_transform(VkTransformMatrixKHR *m, float room)
{
	const float a = ray_random_float(0, 6.28f), b = ray_random_float(0, 6.28f);
	const float turn[3][3] = {
		{ cosf(a), -sinf(a) * cosf(b), sinf(a) * sinf(b) },
		{ sinf(a), cosf(a) * cosf(b), -cosf(a) * sinf(b) },
		{ 0, sinf(b), cosf(b) },
	};
	const float shear = ray_random_float(-0.5f, 0.5f);

	for (int c = 0; c < 3; c++) {
		const float scale = ray_random_float(0.5f, 2);

		for (int r = 0; r < 3; r++)
			m->matrix[r][c] = scale * turn[r][c];
	}
	for (int r = 0; r < 3; r++) {
		m->matrix[r][1] += shear * m->matrix[r][0];
		m->matrix[r][3] = ray_random_float(-room, room);
	}
	/* A mirror does not change the facing, which object space decides. */
	if (ray_random() & 1)
		for (int r = 0; r < 3; r++)
			m->matrix[r][0] *= -1;
}

struct ray ray_random_ray(float room)
{
	struct ray ray = { .mask = 0xff, .tmax = 10000 };

	for (int d = 0; d < 3; d++) {
		ray.origin[d] = ray_random_float(-room, room);
		ray.direction[d] = ray_random_float(-0.4f * room, 0.4f * room) - ray.origin[d];
	}
	return ray;
}

bool ray_is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static double dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *to)
{
	to[0] = a[1] * b[2] - a[2] * b[1];
	to[1] = a[2] * b[0] - a[0] * b[2];
	to[2] = a[0] * b[1] - a[1] * b[0];
}

/* Transforms a ray to the space of an instance: solves m * x = world for x by Cramer's rule. */
static void to_object(const VkTransformMatrixKHR *m, const struct ray *ray, double *origin,
		      double *direction)
{
	double columns[3][3], products[3][3], from[3], determinant;

	for (int c = 0; c < 3; c++)
		for (int r = 0; r < 3; r++)
			columns[c][r] = m->matrix[r][c];
	for (int c = 0; c < 3; c++)
		cross(columns[(c + 1) % 3], columns[(c + 2) % 3], products[c]);
	determinant = dot(columns[0], products[0]);
	for (int r = 0; r < 3; r++)
		from[r] = (double)ray->origin[r] - m->matrix[r][3];
	for (int c = 0; c < 3; c++)
		origin[c] = dot(products[c], from) / determinant;
	for (int r = 0; r < 3; r++)
		from[r] = ray->direction[r];
	for (int c = 0; c < 3; c++)
		direction[c] = dot(products[c], from) / determinant;
}

enum meeting { PASSES, MEETS, UNCLEAR };

/* Intersects a ray with a triangle; front, t, u and v are those of the plane. */
static enum meeting intersect(const double *origin, const double *direction,
			      const float (*corners)[3], struct ray_model *at)
{
	double e1[3], e2[3], from[3], p[3], q[3], normal[3], determinant, low;

	for (int i = 0; i < 3; i++) {
		e1[i] = (double)corners[1][i] - corners[0][i];
		e2[i] = (double)corners[2][i] - corners[0][i];
		from[i] = origin[i] - corners[0][i];
	}
	cross(direction, e2, p);
	cross(from, e1, q);
	cross(e1, e2, normal);
	determinant = dot(e1, p);
	at->front = determinant > 0;
	at->t = dot(e2, q) / determinant;
	at->u = dot(from, p) / determinant;
	at->v = dot(direction, q) / determinant;
	low = fmin(fmin(at->u, at->v), 1 - at->u - at->v);
	if (!determinant || isnan(low))
		return PASSES;
	if (fabs(determinant) < GRAZING * sqrt(dot(normal, normal) * dot(direction, direction)))
		return low > -1 ? UNCLEAR : PASSES;
	return low > NEAR ? MEETS : low < -NEAR ? PASSES : UNCLEAR;
}

static bool is_opaque(uint32_t ray, VkGeometryInstanceFlagsKHR instance,
		      VkGeometryFlagsKHR geometry)
{
	if (ray & (RAY_OPAQUE | RAY_NO_OPAQUE))
		return ray & RAY_OPAQUE;
	if (instance & (VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR |
			VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR))
		return instance & VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR;
	return geometry & VK_GEOMETRY_OPAQUE_BIT_KHR;
}

static bool is_culled(uint32_t ray, VkGeometryInstanceFlagsKHR instance, bool front, bool opaque)
{
	if (ray & (opaque ? RAY_CULL_OPAQUE : RAY_CULL_NO_OPAQUE))
		return true;
	return !(instance & VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR) &&
	       ray & (front ? RAY_CULL_FRONT : RAY_CULL_BACK);
}

/* The state of a search: the best hit, the second best t, the smallest t that is unclear. */
struct search {
	struct ray_model best;
	double second, unclear;
};

static void search_geometry(struct search *s, const struct ray_world *world, uint32_t instance,
			    uint32_t geometry, const struct ray *ray, const double *origin,
			    const double *direction)
{
	const VkGeometryInstanceFlagsKHR flags = world->instances[instance].flags;
	const struct ray_geometry *g = &world->soups[instance]->geometries[geometry];
	const float (*corners)[3] = g->data.map;

	for (uint32_t i = 0; i < g->primitives; i++) {
		const bool opaque = is_opaque(ray->flags, flags, g->flags);
		struct ray_model at = { .hit = true, .instance = instance, .geometry = geometry,
					.primitive = i };
		const enum meeting meeting =
			intersect(origin, direction, corners + 3 * i, &at);
		const double slack = NEAR * (1 + fabs(at.t));

		if (meeting == PASSES || at.t < ray->tmin - slack || at.t > ray->tmax + slack)
			continue;
		at.front ^= (flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR) != 0;
		if (is_culled(ray->flags, flags, at.front, opaque) && meeting == MEETS)
			continue;
		if (meeting == UNCLEAR || at.t < ray->tmin + slack || at.t > ray->tmax - slack) {
			s->unclear = fmin(s->unclear, at.t - slack);
			continue;
		}
		s->best.candidates += !opaque;
		if (!opaque && !(ray->confirm >> (i & 31) & 1))
			continue;
		if (at.t >= s->best.t) {
			s->second = fmin(s->second, at.t);
			continue;
		}
		s->second = s->best.t;
		at.candidates = s->best.candidates;
		s->best = at;
	}
}

struct ray_model ray_model(const struct ray_world *world, const struct ray *ray)
{
	struct search s = { .best.t = INFINITY, .second = INFINITY, .unclear = INFINITY };
	double origin[3], direction[3];

	for (uint32_t i = 0; i < world->count; i++) {
		const struct ray_soup *soup = world->soups[i];

		if (!soup || !(world->instances[i].mask & ray->mask))
			continue;
		to_object(&world->instances[i].transform, ray, origin, direction);
		for (uint32_t g = 0; g < soup->count; g++)
			if (soup->geometries[g].type == VK_GEOMETRY_TYPE_TRIANGLES_KHR)
				search_geometry(&s, world, i, g, ray, origin, direction);
	}
	s.best.unclear = s.best.hit && s.second - s.best.t < NEAR * (1 + s.best.t);
	s.best.unclear |= s.unclear < INFINITY && s.unclear <= s.best.t;
	return s.best;
}

bool ray_is_as_modelled(const struct ray_world *world, const struct ray *ray,
			const struct ray_hit *hit, const struct ray_model *model)
{
	const VkAccelerationStructureInstanceKHR *instance = &world->instances[model->instance];
	bool ok = hit->type == (model->hit ? RAY_TRIANGLE : RAY_MISS) && !hit->again;

	if (ok && model->hit)
		ok = ray_is_near(hit->t, model->t, NEAR) && hit->instance == model->instance &&
		     hit->geometry == model->geometry && hit->primitive == model->primitive &&
		     hit->front == model->front && ray_is_near(hit->u, model->u, NEAR) &&
		     ray_is_near(hit->v, model->v, NEAR) &&
		     hit->custom == instance->instanceCustomIndex &&
		     hit->sbt_offset == instance->instanceShaderBindingTableRecordOffset;
	if (!ok)
		printf("# flags %#x mask %#x confirm %#x: type %u t %g instance %u geometry %u"
		       " primitive %u front %u u %g v %g again %u, not %s t %g instance %u"
		       " geometry %u primitive %u front %u u %g v %g\n", ray->flags, ray->mask,
		       ray->confirm, hit->type, hit->t, hit->instance, hit->geometry,
		       hit->primitive, hit->front, hit->u, hit->v, hit->again,
		       model->hit ? "a hit" : "a miss", model->t, model->instance,
		       model->geometry, model->primitive, model->front, model->u, model->v);
	return ok;
}

bool ray_compare(const struct ray_tracer *tracer, const struct ray_world *world,
		 const struct ray *list, uint32_t count)
{
	const struct ray_hit *hits = ray_trace(tracer, &world->structure, list, count);
	uint32_t clear = 0, met = 0, wrong = 0;

	for (uint32_t i = 0; i < count && wrong < 5; i++) {
		const struct ray_model model = ray_model(world, &list[i]);

		if (model.unclear)
			continue;
		clear++;
		met += model.hit;
		wrong += !ray_is_as_modelled(world, &list[i], &hits[i], &model);
	}
	printf("# %u rays, %u of them clear, %u hits\n", count, clear, met);
	return !wrong && clear > count / 2;
}

bool ray_world_is_right(const struct ray_tracer *tracer, const struct ray_world *world, float room)
{
	struct ray list[RAY_COMPARED];

	for (uint32_t i = 0; i < RAY_COMPARED; i++)
		list[i] = ray_random_ray(room);
	return ray_compare(tracer, world, list, RAY_COMPARED);
}

bool ray_soup_is_right(const struct ray_tracer *tracer, const struct ray_soup *soup, float room)
{
	struct ray_world world = { 0 };
	bool ok;

	ray_random_transform(&ray_world_add(&world, soup)->transform, room / 4);
	ray_world_build(&world, 0);
	ok = ray_world_is_right(tracer, &world, room);
	ray_world_del(&world);
	return ok;
}

void ray_soup_random(struct ray_soup *soup, VkBuildAccelerationStructureFlagsKHR flags)
{
	float corners[3 * RAY_SOUP_TRIANGLES][3];

	ray_random_corners(corners, RAY_SOUP_TRIANGLES, 5, 3);
	ray_soup_triangles(soup, (const float (*)[3])corners, RAY_SOUP_TRIANGLES,
			   VK_GEOMETRY_OPAQUE_BIT_KHR);
	ray_soup_build(soup, flags);
}

void ray_world_random(struct ray_world *world, const struct ray_soup *soup, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ray_random_transform(&ray_world_add(world, soup)->transform, 8);
}
