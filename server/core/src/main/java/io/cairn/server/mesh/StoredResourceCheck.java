package io.cairn.server.mesh;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.validation.Finding;
import io.cairn.server.config.validation.Problem;
import io.cairn.server.config.validation.RequiredCheck;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.ResourceProblem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Refuses mesh resources that a proxy would refuse, before the store. */
public final class StoredResourceCheck implements RequiredCheck {

    private final String group;
    private final EnvoyResources resources;

    /** @param group of the stored resources */
    public StoredResourceCheck(String group, EnvoyResources resources) {
        this.group = group;
        this.resources = resources;
    }

    @Override
    public boolean concerns(ConfigKey key) {
        return key.group().equals(group)
                && (StoredName.refusal(key.dataId()) != null
                        || StoredName.of(key.dataId()).isPresent());
    }

    @Override
    public Optional<Finding> find(PublishConfig command) {
        String dataId = command.key().dataId();
        ConfigType type = command.attributes().type();
        String refusal = StoredName.refusal(dataId);
        if (refusal == null && !command.attributes().encryptedDataKey().isEmpty()) {
            refusal = "a resource of the mesh cannot be encrypted, the server has to read it (expected: plain text)";
        }
        if (refusal == null && !isReadable(type)) {
            refusal = "a resource of the mesh cannot be of type " + type.wireName() + " (expected: yaml or json)";
        }
        if (refusal != null) {
            return Optional.of(finding(type, new Problem(0, 0, refusal)));
        }
        String content = new String(command.utf8(), StandardCharsets.UTF_8);
        return StoredName.of(dataId).flatMap(name -> find(name, type, content));
    }

    private Optional<Finding> find(StoredName name, ConfigType type, String content) {
        Checked checked = resources.check(name, content);
        List<ResourceProblem> problems = checked.problems();
        if (problems.isEmpty()) {
            return Optional.empty();
        }
        ResourceProblem first = problems.get(0);
        String more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
        return Optional.of(finding(type, new Problem(first.line(), first.column(), first.text() + more)));
    }

    /** No type means YAML as well: most SDKs have no parameter for it. */
    private static boolean isReadable(ConfigType type) {
        return switch (type) {
            case YAML, JSON, TEXT, UNSET -> true;
            case XML, HTML, PROPERTIES, TOML -> false;
        };
    }

    private static Finding finding(ConfigType type, Problem problem) {
        return new Finding(Finding.Kind.NOT_READABLE, type, problem);
    }
}
