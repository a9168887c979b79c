package io.redelay.queue.failure;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import io.redelay.queue.PayloadConversionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;

import org.springframework.messaging.MessagingException;
import org.springframework.util.ClassUtils;

/**
 * Describes why a value cannot be converted, without its content: failures of Jackson
 * quote it, and those of spring-messaging carry the whole message.
 *
 * @since 0.1.0
 */
public final class ConversionFailure {

	private static final int MOST_CONSTANTS = 20;

	private ConversionFailure() {
	}

	/**
	 * Creates the exception for a failed conversion.
	 * @param what the conversion that was tried
	 * @param failure why it failed
	 * @return the exception; the failure itself if it is one already
	 */
	public static PayloadConversionException exception(String what, Throwable failure) {
		return (failure instanceof PayloadConversionException known) ? known
				: new PayloadConversionException(what + ": " + words(failure), cause(failure));
	}

	/**
	 * Describes a failure without the value that was to be converted.
	 * @param failure the failure
	 * @return the description
	 */
	public static String words(Throwable failure) {
		JacksonException json = json(failure);
		if (json == null) {
			Throwable cause = Causes.of(failure);
			return FailureText.describe((failure instanceof MessagingException && cause != null) ? cause : failure);
		}
		Throwable own = own(json);
		return ((own != null) ? FailureText.describe(own) : describe(json)) + where(json) + mend(json);
	}

	/**
	 * Returns what to do about a class of which no object can be made.
	 */
	private static String mend(JacksonException json) {
		if (!(json instanceof InvalidDefinitionException definition) || definition.getType() == null
				|| !definition.getOriginalMessage().startsWith("Cannot construct instance")) {
			return "";
		}
		Class<?> type = definition.getType().getRawClass();
		if (Modifier.isAbstract(type.getModifiers())) {
			return ". Take a class that is not abstract, or name its classes with @JsonTypeInfo and @JsonSubTypes";
		}
		return ClassUtils.isInnerClass(type) ? ". Make the class " + type.getSimpleName() + " static"
				: ". Make " + type.getSimpleName()
						+ " a record, or give it a constructor without parameters, or a public"
						+ " one of all its properties; in Kotlin, add tools.jackson.module:jackson-module-kotlin";
	}

	private static String describe(JacksonException json) {
		if (json instanceof InvalidDefinitionException) {
			// Its text is about a type, not a value.
			return json.getOriginalMessage();
		}
		return (json instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null)
				? "its JSON does not fit the type " + mismatch.getTargetType().getName()
						+ needs(mismatch, mismatch.getTargetType())
				: "its JSON cannot be read (" + json.getClass().getSimpleName() + ")";
	}

	/**
	 * Returns what an enum or a primitive would need, often missing in another version of
	 * a class.
	 */
	private static String needs(MismatchedInputException mismatch, Class<?> type) {
		Object[] constants = type.getEnumConstants();
		if (constants != null) {
			return Arrays.stream(constants)
				.limit(MOST_CONSTANTS)
				.map((constant) -> ((Enum<?>) constant).name())
				.collect(Collectors.joining(", ", ", which has ", (constants.length > MOST_CONSTANTS) ? ", …" : ""));
		}
		boolean nothing = type.isPrimitive() && mismatch.getOriginalMessage().startsWith("Cannot map `null`");
		return nothing ? ", which must have a value and has none" : "";
	}

	/**
	 * Returns the cause that may be shown: for a failure of Jackson, the exception of a
	 * type's own code.
	 */
	private static @Nullable Throwable cause(Throwable failure) {
		JacksonException json = json(failure);
		if (json != null) {
			return own(json);
		}
		return (failure instanceof MessagingException) ? Causes.of(failure) : failure;
	}

	/**
	 * Returns the exception of a type's own code, or {@code null} if Jackson failed
	 * because of a value.
	 */
	private static @Nullable Throwable own(JacksonException json) {
		return (json instanceof MismatchedInputException || json instanceof StreamReadException) ? null
				: Causes.of(json);
	}

	/**
	 * Returns the innermost failure of Jackson.
	 */
	private static @Nullable JacksonException json(Throwable failure) {
		JacksonException innermost = null;
		Throwable each = failure;
		for (int depth = 0; each != null && depth < 50; depth++) {
			if (each instanceof JacksonException json) {
				innermost = json;
			}
			each = Causes.of(each);
		}
		return innermost;
	}

	private static String where(JacksonException json) {
		String path = json.getPath().stream().map(ConversionFailure::step).collect(Collectors.joining("."));
		String place = path.isEmpty() ? "" : ", at " + path;
		return (json.getLocation() == null || json.getLocation().getLineNr() < 1) ? place
				: place + ", line " + json.getLocation().getLineNr() + ", column " + json.getLocation().getColumnNr();
	}

	/**
	 * Returns the name of a property or a position. The key of a map is left out, as it
	 * is content of the payload.
	 */
	private static String step(JacksonException.Reference step) {
		boolean ofMap = step.from() instanceof Map
				|| (step.from() instanceof Class<?> type && Map.class.isAssignableFrom(type));
		if (step.getPropertyName() == null) {
			return "[" + step.getIndex() + "]";
		}
		return ofMap ? "[…]" : step.getPropertyName();
	}

}
