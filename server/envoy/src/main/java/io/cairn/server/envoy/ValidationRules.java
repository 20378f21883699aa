package io.cairn.server.envoy;

import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofOptions;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@code validate.rules} in the options of messages, fields and oneofs.
 *
 * <p>Source: validate.proto of protoc-gen-validate.
 */
final class ValidationRules {

    private final Map<FieldDescriptor, Optional<Message>> ofFields = new ConcurrentHashMap<>();

    private final @Nullable FieldDescriptor fieldRules;
    private final @Nullable FieldDescriptor oneofRequired;
    private final @Nullable FieldDescriptor messageDisabled;
    private final @Nullable FieldDescriptor messageIgnored;

    /** @param file {@code validate/validate.proto}; null without rules */
    ValidationRules(@Nullable FileDescriptor file) {
        fieldRules = extension(file, FieldOptions.getDescriptor(), "rules");
        oneofRequired = extension(file, OneofOptions.getDescriptor(), "required");
        messageDisabled = extension(file, MessageOptions.getDescriptor(), "disabled");
        messageIgnored = extension(file, MessageOptions.getDescriptor(), "ignored");
    }

    private static @Nullable FieldDescriptor extension(@Nullable FileDescriptor file, Descriptor options, String name) {
        if (file == null) {
            return null;
        }
        return file.getExtensions().stream()
                .filter(field -> field.getContainingType().equals(options)
                        && field.getName().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** The {@code FieldRules} of a field, or null. */
    @Nullable
    Message of(FieldDescriptor field) {
        FieldDescriptor extension = fieldRules;
        if (extension == null) {
            return null;
        }
        return ofFields.computeIfAbsent(field, unread -> Optional.ofNullable(read(unread, extension)))
                .orElse(null);
    }

    private static @Nullable Message read(FieldDescriptor field, FieldDescriptor extension) {
        FieldOptions options = field.getOptions();
        return options.hasField(extension) ? (Message) options.getField(extension) : null;
    }

    boolean isRequired(OneofDescriptor oneof) {
        return oneofRequired != null && Boolean.TRUE.equals(oneof.getOptions().getField(oneofRequired));
    }

    boolean appliesTo(Descriptor message) {
        MessageOptions options = message.getOptions();
        return !(messageDisabled != null && Boolean.TRUE.equals(options.getField(messageDisabled))
                || messageIgnored != null && Boolean.TRUE.equals(options.getField(messageIgnored)));
    }
}
