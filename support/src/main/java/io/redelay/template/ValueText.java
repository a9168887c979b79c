package io.redelay.template;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Converts values to the text that they have in a name or a key. Equal values have equal
 * texts in every JVM. A value that cannot guarantee this is rejected: otherwise calls
 * that should share a lock would not, and neither would messages that should share a key.
 */
final class ValueText {

	private static final int MAX_DEPTH = 16;

	/**
	 * The text of {@link Object#toString()}: the name of a class, and a hash.
	 */
	private static final Pattern IDENTITY = Pattern.compile("([\\w.$/;\\[]+)@[0-9a-f]{1,8}(?![\\w.])");

	/**
	 * The writers of the texts, by class.
	 */
	private static final ClassValue<Writer> WRITERS = new ClassValue<>() {

		@Override
		protected Writer computeValue(Class<?> type) {
			try {
				Class<?> writer = type.isArray() ? Object.class : type.getMethod("toString").getDeclaringClass();
				return (writer == Object.class) ? Writer.NONE
						: writer.getName().startsWith("java.") ? Writer.PLATFORM : Writer.ITSELF;
			}
			catch (NoSuchMethodException ex) {
				return Writer.NONE;
			}
		}

	};

	private ValueText() {
	}

	/**
	 * Returns the text of a value.
	 * @throws IllegalArgumentException if equal values might have different texts; the
	 * message is the end of a sentence that begins with the name of the value
	 */
	static String of(Object value) {
		return text(value, 0);
	}

	/**
	 * Rejects a text that contains the identity of an object.
	 */
	static String refuseIdentity(String text) {
		if (text.indexOf('@') < 0) {
			return text;
		}
		Matcher matcher = IDENTITY.matcher(text);
		while (matcher.find()) {
			if (isClass(matcher.group(1))) {
				throw silent("holds an object of " + matcher.group(1));
			}
		}
		return text;
	}

	private static String text(@Nullable Object value, int depth) {
		if (value == null || value instanceof String || value instanceof Number || value instanceof Boolean
				|| value instanceof Character || value instanceof Enum<?> || value instanceof UUID
				|| value instanceof TemporalAccessor) {
			return String.valueOf(value);
		}
		if (depth > MAX_DEPTH) {
			throw new IllegalArgumentException("is nested more than " + MAX_DEPTH + " deep, or in itself");
		}
		if (value instanceof Optional<?> optional) {
			return text(optional.orElse(null), depth);
		}
		Writer writer = WRITERS.get(value.getClass());
		if (writer == Writer.NONE) {
			throw silent(((depth == 0) ? "is" : "holds") + " an object of " + value.getClass().getName());
		}
		if (writer == Writer.PLATFORM && value instanceof Collection<?> collection) {
			return collection(collection, depth);
		}
		if (writer == Writer.PLATFORM && value instanceof Map<?, ?> map) {
			return map(map, depth);
		}
		String text = value.toString();
		if (value instanceof Record && text != null) {
			List<@Nullable Object> components = components(value);
			if (components != null && text.equals(record(value, components.stream().map(String::valueOf).toList()))) {
				return record(value, components.stream().map((component) -> text(component, depth + 1)).toList());
			}
		}
		return (text != null) ? refuseIdentity(text) : "";
	}

	private static String collection(Collection<?> collection, int depth) {
		List<String> texts = new ArrayList<>(collection.size());
		for (Object element : collection) {
			texts.add(text(element, depth + 1));
		}
		if (collection instanceof Set<?>) {
			// The order of equal sets differs; that of Set.of differs from JVM to JVM.
			texts.sort(null);
		}
		return texts.toString();
	}

	private static String map(Map<?, ?> map, int depth) {
		List<String> texts = new ArrayList<>(map.size());
		map.forEach((key, value) -> texts.add(text(key, depth + 1) + "=" + text(value, depth + 1)));
		texts.sort(null);
		return "{" + String.join(", ", texts) + "}";
	}

	/**
	 * Writes a record in the form of its default toString().
	 */
	private static String record(Object value, List<String> components) {
		StringBuilder text = new StringBuilder(value.getClass().getSimpleName()).append('[');
		RecordComponent[] declared = value.getClass().getRecordComponents();
		for (int i = 0; i < declared.length; i++) {
			text.append((i > 0) ? ", " : "").append(declared[i].getName()).append('=').append(components.get(i));
		}
		return text.append(']').toString();
	}

	/**
	 * Returns the values of a record.
	 * @return the values, or {@code null} if they cannot be read
	 */
	private static @Nullable List<@Nullable Object> components(Object value) {
		List<@Nullable Object> components = new ArrayList<>();
		try {
			for (RecordComponent component : value.getClass().getRecordComponents()) {
				Method accessor = component.getAccessor();
				ReflectionUtils.makeAccessible(accessor);
				components.add(accessor.invoke(value));
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
		return components;
	}

	private static boolean isClass(String name) {
		if (name.contains("$$Lambda")) {
			return true;
		}
		ClassLoader loader = ClassUtils.getDefaultClassLoader();
		return ClassUtils.isPresent(name, loader) || isArray(name, loader)
				|| (name.startsWith("[") && ClassUtils.isPresent(name.substring(1), loader));
	}

	private static boolean isArray(String name, @Nullable ClassLoader loader) {
		try {
			return name.startsWith("[") && Class.forName(name, false, loader).isArray();
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	private static IllegalArgumentException silent(String what) {
		return new IllegalArgumentException(
				what + ", which has no toString of its own, so equal values would have different texts");
	}

	private enum Writer {

		NONE, PLATFORM, ITSELF

	}

}
