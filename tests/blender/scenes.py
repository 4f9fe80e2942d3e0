# SPDX-License-Identifier: MIT
# Blender script: renders one of three scenes with EEVEE into a picture of 160x120 pixels.
# tests/host/large-programs calls it.
# usage: blender -b --factory-startup -P scenes.py -- cube|materials|volume FILE.png
import math
import sys

import bpy
import gpu


def start(samples):
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_EEVEE_NEXT"
    scene.render.resolution_x, scene.render.resolution_y = 160, 120
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.eevee.taa_render_samples = samples
    return scene


def remove(name):
    bpy.data.objects.remove(bpy.data.objects[name])


def material(name, **inputs):
    """a Principled BSDF, whose inputs have these values; "_" stands for a space"""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    for key, value in inputs.items():
        made.node_tree.nodes["Principled BSDF"].inputs[key.replace("_", " ")].default_value = value
    return made


def add(operator, made, smooth=False, subdivide=0, **arguments):
    operator(**arguments)
    added = bpy.context.object
    added.data.materials.append(made)
    if subdivide:
        added.modifiers.new("subdivide", "SUBSURF").render_levels = subdivide
    if smooth:
        bpy.ops.object.shade_smooth()
    return added


def light(kind, location, colour, energy, **settings):
    data = bpy.data.lights.new(kind.lower(), kind)
    data.color, data.energy = colour, energy
    for key, value in settings.items():
        setattr(data, key, value)
    placed = bpy.data.objects.new(kind.lower(), data)
    placed.location = location
    # A light shines along -Z, which is rotated towards the origin.
    placed.rotation_euler = (-placed.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(placed)


def look_from(x, y, z):
    camera = bpy.data.objects["Camera"]
    camera.location = (x, y, z)
    camera.rotation_euler = (-camera.location).to_track_quat("-Z", "Y").to_euler()


def cube():
    """the scene that Blender starts with"""
    start(samples=16)


def materials():
    """glass with refraction, metal, emission, subdivision, shadows of an area light and a sun"""
    scene = start(samples=8)
    scene.eevee.use_raytracing = True
    remove("Cube")
    remove("Light")
    mesh = bpy.ops.mesh
    matt = material("matt", Base_Color=(0.6, 0.6, 0.55, 1), Roughness=0.6)
    add(mesh.primitive_plane_add, matt, size=12)
    glass = material("glass", Base_Color=(0.8, 1, 0.9, 1), Transmission_Weight=1.0, Roughness=0.0)
    glass.use_raytrace_refraction = True
    add(mesh.primitive_uv_sphere_add, glass, smooth=True, radius=0.9, location=(-1.3, -0.6, 0.9))
    metal = material("metal", Base_Color=(0.9, 0.6, 0.2, 1), Metallic=1.0, Roughness=0.2)
    add(mesh.primitive_monkey_add, metal, smooth=True, subdivide=2, size=1.8,
        location=(1.1, 0.3, 0.9))
    glow = material("glow", Emission_Color=(0.2, 0.4, 1, 1), Emission_Strength=4.0)
    add(mesh.primitive_torus_add, glow, smooth=True, location=(-0.4, 1.9, 0.4))
    coat = material("coat", Base_Color=(0.7, 0.05, 0.05, 1), Coat_Weight=1.0, Roughness=0.4)
    add(mesh.primitive_cube_add, coat, subdivide=1, size=1, location=(0.3, -1.9, 0.5))
    light("AREA", (3, -3, 5), (1, 0.95, 0.9), 400, size=2)
    light("SUN", (-4, -2, 6), (0.8, 0.9, 1), 1.5, angle=0.1)
    look_from(4.5, -5.5, 4)


def volume():
    """fog that many lights shine through, materials of noise, Voronoi, brick and wave textures"""
    scene = start(samples=8)
    remove("Light")
    scene.eevee.volumetric_tile_size = "8"
    scene.eevee.volumetric_samples = 32
    scene.eevee.use_volumetric_shadows = True

    fog = bpy.data.materials.new("fog")
    fog.use_nodes = True
    nodes, links = fog.node_tree.nodes, fog.node_tree.links
    nodes.clear()
    scatter = nodes.new("ShaderNodeVolumePrincipled")
    scatter.inputs["Anisotropy"].default_value = 0.3
    noise = nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 1.5
    density = nodes.new("ShaderNodeMath")
    density.operation = "MULTIPLY"
    density.inputs[1].default_value = 0.12
    links.new(noise.outputs["Fac"], density.inputs[0])
    links.new(density.outputs[0], scatter.inputs["Density"])
    links.new(scatter.outputs["Volume"], nodes.new("ShaderNodeOutputMaterial").inputs["Volume"])
    bpy.data.objects["Cube"].data.materials[0] = fog
    bpy.data.objects["Cube"].scale = (5, 5, 3)
    bpy.data.objects["Cube"].location = (0, 0, 2.5)

    def textured(kind, output, **settings):
        made = material(kind, Roughness=0.5)
        nodes, links = made.node_tree.nodes, made.node_tree.links
        texture = nodes.new(f"ShaderNodeTex{kind}")
        for key, value in settings.items():
            texture.inputs[key].default_value = value
        links.new(nodes.new("ShaderNodeTexCoord").outputs["Object"], texture.inputs["Vector"])
        ramp = nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.elements[0].color = (0.05, 0.1, 0.4, 1)
        ramp.color_ramp.elements[1].color = (0.9, 0.8, 0.5, 1)
        links.new(texture.outputs[output], ramp.inputs["Fac"])
        links.new(ramp.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
        return made

    mesh = bpy.ops.mesh
    def ball(made, x):
        add(mesh.primitive_uv_sphere_add, made, smooth=True, radius=0.8, location=(x, 0, 0.8))

    add(mesh.primitive_plane_add, textured("Brick", "Color", Scale=1.5), size=12)
    ball(textured("Noise", "Fac", Scale=3.0, Detail=4.0), -1.8)
    ball(textured("Voronoi", "Distance", Scale=4.0), 0)
    ball(textured("Wave", "Fac", Scale=2.0), 1.8)
    light("SPOT", (2, -1, 5), (1, 0.8, 0.6), 800, spot_size=0.6, spot_blend=0.2)
    light("SPOT", (-3, 2, 4), (0.5, 0.6, 1), 800, spot_size=0.7)
    for i in range(12):
        angle = i * math.tau / 12
        colour = (i % 3 == 0, i % 3 == 1, i % 3 == 2)
        light("POINT", (3 * math.cos(angle), 3 * math.sin(angle), 0.6), colour, 40)
    look_from(3.5, -6.5, 4)


name, file = sys.argv[-2:]
{"cube": cube, "materials": materials, "volume": volume}[name]()
bpy.context.scene.render.filepath = file
bpy.ops.render.render(write_still=True)
print("GPU:", gpu.platform.renderer_get())
