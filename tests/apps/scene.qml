// SPDX-License-Identifier: MIT
// A still picture with what Qt Quick draws with OpenGL: gradients, clipping, rotation, blending, text, a layer.
import QtQuick
import QtQuick.Controls

ApplicationWindow {
    visible: true
    width: 800
    height: 600
    color: "#203040"

    Rectangle {
        x: 40; y: 40; width: 300; height: 200; radius: 24
        gradient: Gradient {
            GradientStop { position: 0; color: "#ffcc00" }
            GradientStop { position: 1; color: "#cc3300" }
        }
        Text { anchors.centerIn: parent; text: "Qt Quick"; font.pixelSize: 48; color: "white" }
    }
    Rectangle {
        x: 460; y: 80; width: 160; height: 160; rotation: 30; antialiasing: true; color: "#3399ff"
        opacity: 0.8
    }
    Item {
        x: 60; y: 320; width: 220; height: 220; clip: true
        layer.enabled: true
        Repeater {
            model: 12
            Rectangle { x: index * 24; y: index * 12; width: 90; height: 60; color: Qt.hsla(index / 12, 0.8, 0.5, 1) }
        }
    }
    Button { x: 420; y: 360; text: "A button" }
    ProgressBar { x: 420; y: 440; width: 240; value: 0.6 }
}
