# SPDX-License-Identifier: MIT
# Draws with the parts of Godot's GLES3 renderer: a sky with reflections, shadows of three kinds of
# lights, a metal, a translucent and a matt material, instances, a shader of its own, screen-space
# ambient occlusion and glow. Nothing depends on time. After some frames, in which Godot filters the
# sky, it writes the picture to the file PICTURE.
extends Spatial

const FRAMES = 12

const STRIPES = """
shader_type spatial;
uniform vec4 colour : hint_color;
varying vec3 place;
void vertex() {
	place = VERTEX;
	VERTEX += NORMAL * 0.05 * sin(place.y * 20.0);
}
void fragment() {
	ALBEDO = mix(colour.rgb, vec3(0.9), step(0.5, fract(place.x * 3.0 + place.y * 2.0)));
	ROUGHNESS = 0.4;
	EMISSION = vec3(0.0, 0.3, 0.0) * step(0.8, fract(place.z * 4.0));
}
"""


func put(mesh, material, at):
	var instance = MeshInstance.new()
	instance.mesh = mesh
	instance.material_override = material
	instance.translation = at
	add_child(instance)


func paint(albedo, metallic, roughness):
	var material = SpatialMaterial.new()
	material.albedo_color = albedo
	material.metallic = metallic
	material.roughness = roughness
	if albedo.a < 1:
		material.flags_transparent = true
	return material


func shine(light, colour, energy, at):
	light.light_color = colour
	light.light_energy = energy
	light.shadow_enabled = true
	add_child(light)
	light.look_at_from_position(at, Vector3(0, 0, 0), Vector3.UP)


func _ready():
	print("GPU: ", VisualServer.get_video_adapter_name())
	var environment = Environment.new()
	environment.background_mode = Environment.BG_SKY
	environment.background_sky = ProceduralSky.new()
	environment.ssao_enabled = true
	environment.glow_enabled = true
	environment.tonemap_mode = Environment.TONE_MAPPER_ACES
	var world = WorldEnvironment.new()
	world.environment = environment
	add_child(world)

	var camera = Camera.new()
	add_child(camera)
	camera.look_at_from_position(Vector3(2.5, 2.5, 4.5), Vector3(0, 0.4, 0), Vector3.UP)

	shine(DirectionalLight.new(), Color(1, 0.95, 0.85), 0.8, Vector3(2, 4, 1))
	var lamp = OmniLight.new()
	lamp.omni_range = 6
	shine(lamp, Color(0.3, 0.4, 1), 3, Vector3(-2, 1.5, 1))
	var spot = SpotLight.new()
	spot.spot_range = 8
	spot.spot_angle = 25
	shine(spot, Color(1, 0.3, 0.2), 4, Vector3(3, 3, -2))

	var floor_mesh = PlaneMesh.new()
	floor_mesh.size = Vector2(12, 12)
	put(floor_mesh, paint(Color(0.6, 0.6, 0.6), 0, 0.8), Vector3(0, 0, 0))
	put(SphereMesh.new(), paint(Color(1, 0.8, 0.4), 1, 0.15), Vector3(-1, 1, 0))
	put(CubeMesh.new(), paint(Color(0.2, 0.8, 0.5, 0.5), 0, 0.2), Vector3(1.7, 1, -1))
	var stripes = ShaderMaterial.new()
	stripes.shader = Shader.new()
	stripes.shader.code = STRIPES
	stripes.set_shader_param("colour", Color(0.7, 0.1, 0.2))
	put(TorusMesh.new(), stripes, Vector3(1, 0.6, 1.2))

	var many = MultiMesh.new()
	many.transform_format = MultiMesh.TRANSFORM_3D
	many.color_format = MultiMesh.COLOR_8BIT
	many.mesh = PrismMesh.new()
	many.mesh.size = Vector3(0.3, 0.5, 0.3)
	many.mesh.material = paint(Color(1, 1, 1), 0, 0.6)
	many.mesh.material.vertex_color_use_as_albedo = true
	many.instance_count = 24
	for i in range(24):
		var angle = i * TAU / 24
		var at = Vector3(2.6 * cos(angle), 0.25, 2.6 * sin(angle))
		many.set_instance_transform(i, Transform(Basis(Vector3.UP, angle), at))
		many.set_instance_color(i, Color.from_hsv(i / 24.0, 0.8, 0.9))
	var crowd = MultiMeshInstance.new()
	crowd.multimesh = many
	add_child(crowd)

	for _i in range(FRAMES):
		yield(VisualServer, "frame_post_draw")
	var picture = get_viewport().get_texture().get_data()
	picture.flip_y()
	var status = picture.save_png(OS.get_environment("PICTURE"))
	print("saved: ", status)
	get_tree().quit(status)
