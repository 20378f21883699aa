package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.mesh.EnvoyResources.UnknownFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class XdsPropertiesTest {

    @Test
    void descriptorsAreAFileBelowTheHomeFolder(@TempDir Path home) throws IOException {
        Files.writeString(home.resolve("api.pb"), "");
        assertThat(withDescriptors(" ").descriptorsFile(home)).isNull();
        assertThat(withDescriptors("api.pb").descriptorsFile(home)).isEqualTo(home.resolve("api.pb"));
        assertThatThrownBy(() -> withDescriptors("none.pb").descriptorsFile(home))
                .hasMessageContaining("cairn.xds.descriptors: " + home.resolve("none.pb") + " (expected:");
    }

    private static XdsProperties withDescriptors(String file) {
        return new XdsProperties(true, "CAIRN_XDS", 2000, 2000, List.of("region", "zone"), file, UnknownFields.REFUSE);
    }
}
