package io.cairn.server.envoy;

import com.google.protobuf.AnyProto;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.WrappersProto;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of Envoy's API, from a file of descriptors. */
final class ApiDescriptors {

    private static final String BUILT_IN = "envoy-api.pb";
    private static final String RULES_FILE = "validate/validate.proto";

    /** Files of the protobuf library, which has the only classes for them. */
    private static final List<FileDescriptor> OF_THE_LIBRARY = List.of(
            DescriptorProtos.getDescriptor(),
            AnyProto.getDescriptor(),
            DurationProto.getDescriptor(),
            EmptyProto.getDescriptor(),
            FieldMaskProto.getDescriptor(),
            StructProto.getDescriptor(),
            TimestampProto.getDescriptor(),
            WrappersProto.getDescriptor());

    private final TypeRegistry types;
    private final ValidationRules rules;
    private final int files;

    private ApiDescriptors(TypeRegistry types, ValidationRules rules, int files) {
        this.types = types;
        this.rules = rules;
        this.files = files;
    }

    /**
     * @param file a complete {@code FileDescriptorSet}; null for the built-in one
     * @throws CairnException {@code UNAVAILABLE} with the reason for unreadable descriptors
     */
    static ApiDescriptors read(@Nullable Path file) {
        try {
            return of(file == null ? builtIn() : Files.readAllBytes(file));
        } catch (IOException | DescriptorValidationException | IllegalArgumentException e) {
            String source = file == null ? "the built-in descriptors" : "cairn.xds.descriptors: " + file;
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    source + " cannot be read: " + e.getMessage()
                            + " (expected: a FileDescriptorSet of Envoy's API with its imports)",
                    e);
        }
    }

    private static byte[] builtIn() throws IOException {
        try (InputStream in = ApiDescriptors.class.getResourceAsStream(BUILT_IN)) {
            if (in == null) {
                throw new IOException("there is no resource " + BUILT_IN);
            }
            return in.readAllBytes();
        }
    }

    private static ApiDescriptors of(byte[] bytes) throws IOException, DescriptorValidationException {
        ExtensionRegistry extensions = ExtensionRegistry.newInstance();
        // The rules are options of the fields, readable only with known extensions.
        Linked unread = new Linked(FileDescriptorSet.parseFrom(bytes));
        FileDescriptor rulesFile = unread.files.containsKey(RULES_FILE) ? unread.link(RULES_FILE) : null;
        if (rulesFile != null) {
            for (FieldDescriptor extension : rulesFile.getExtensions()) {
                if (extension.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                    extensions.add(extension, DynamicMessage.getDefaultInstance(extension.getMessageType()));
                } else {
                    extensions.add(extension);
                }
            }
        }
        Linked linked = new Linked(FileDescriptorSet.parseFrom(bytes, extensions));
        if (rulesFile != null) {
            linked.done.put(RULES_FILE, rulesFile);
        }
        TypeRegistry.Builder types = TypeRegistry.newBuilder();
        OF_THE_LIBRARY.forEach(file -> types.add(file.getMessageTypes()));
        for (String name : linked.files.keySet()) {
            types.add(linked.link(name).getMessageTypes());
        }
        return new ApiDescriptors(types.build(), new ValidationRules(rulesFile), linked.files.size());
    }

    /** The files of a set, each linked after its imports. */
    private static final class Linked {

        private final Map<String, FileDescriptorProto> files = new HashMap<>();
        private final Map<String, FileDescriptor> done = new HashMap<>();
        private final Set<String> open = new HashSet<>();

        Linked(FileDescriptorSet set) {
            set.getFileList().forEach(file -> files.put(file.getName(), file));
            OF_THE_LIBRARY.forEach(file -> {
                files.remove(file.getName());
                done.put(file.getName(), file);
            });
            if (files.isEmpty()) {
                throw new IllegalArgumentException("it has no files");
            }
        }

        FileDescriptor link(String name) throws DescriptorValidationException {
            FileDescriptor known = done.get(name);
            if (known != null) {
                return known;
            }
            FileDescriptorProto file = files.get(name);
            if (file == null) {
                throw new IllegalArgumentException("the file " + name + " is imported and missing");
            }
            if (!open.add(name)) {
                throw new IllegalArgumentException("the file " + name + " imports itself");
            }
            List<FileDescriptor> imports = new ArrayList<>();
            for (String imported : file.getDependencyList()) {
                imports.add(link(imported));
            }
            FileDescriptor linked = FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new));
            done.put(name, linked);
            return linked;
        }
    }

    TypeRegistry types() {
        return types;
    }

    ValidationRules rules() {
        return rules;
    }

    int files() {
        return files;
    }

    @Nullable
    Descriptor message(String fullName) {
        return types.find(fullName);
    }

    @Nullable
    Descriptor messageOfUrl(String typeUrl) {
        try {
            return types.getDescriptorForTypeUrl(typeUrl);
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }
}
