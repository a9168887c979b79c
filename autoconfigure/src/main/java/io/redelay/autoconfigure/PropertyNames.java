package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ClassUtils;

/**
 * The names of the properties of all modules that are there. They are in the metadata
 * that each module has for editors; what is below the keys of a map is in the types of
 * its values.
 */
final class PropertyNames {

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	/**
	 * Metadata begins with groups and their types, and that of others is left unread as
	 * long as all names are found.
	 */
	private static final int BEGINNING = 1024;

	private static final Pattern PROPERTY = Pattern
		.compile("\"name\"\\s*:\\s*\"(redelay\\.[^\"]+)\"\\s*,\\s*\"type\"\\s*:\\s*\"([^\"]+)\"");

	private static final String MAP = "java.util.Map<java.lang.String,";

	/**
	 * The key of a map, which is one element of a name.
	 */
	private static final String KEY = "*";

	/**
	 * The key of a map of plain values: all that is left of a name.
	 */
	private static final String REST = "**";

	private final List<String[]> names = new ArrayList<>();

	private PropertyNames() {
	}

	/**
	 * Reads the names.
	 * @param loader where the metadata is
	 * @param all whether to read all metadata to its end: that of an application may name
	 * other properties first
	 */
	static PropertyNames load(@Nullable ClassLoader loader, boolean all) {
		ClassLoader used = (loader != null) ? loader : ClassUtils.getDefaultClassLoader();
		PropertyNames names = new PropertyNames();
		try {
			Enumeration<URL> resources = (used != null) ? used.getResources(METADATA)
					: ClassLoader.getSystemResources(METADATA);
			while (resources.hasMoreElements()) {
				try (InputStream in = resources.nextElement().openStream()) {
					byte[] beginning = all ? in.readAllBytes() : in.readNBytes(BEGINNING);
					if (text(beginning).contains("redelay.")) {
						names.addAll(text(beginning) + text(in.readAllBytes()), used);
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("'" + METADATA + "' of a jar cannot be read", ex);
		}
		return names;
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.ISO_8859_1);
	}

	private void addAll(String metadata, @Nullable ClassLoader loader) {
		Matcher property = PROPERTY.matcher(metadata);
		property.region(Math.max(0, metadata.indexOf("\"properties\"")), metadata.length());
		while (property.find()) {
			add(property.group(1));
			String type = property.group(2);
			if (type.startsWith(MAP)) {
				addValues(property.group(1), type.substring(MAP.length(), type.length() - 1).trim(), loader);
			}
		}
	}

	private void addValues(String map, String valueType, @Nullable ClassLoader loader) {
		try {
			addValue(map, ClassUtils.forName(valueType, loader));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			// Properties of queues may need classes that are not there if locks are used
			// alone.
			add(map + "." + REST);
		}
	}

	private void addValue(String map, Class<?> valueType) {
		if (valueType.isRecord()) {
			addGroup(map + "." + KEY, valueType);
		}
		else {
			add(map + "." + REST);
		}
	}

	private void addGroup(String group, Class<?> type) {
		for (Field field : type.getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers())) {
				Name name = field.getAnnotation(Name.class);
				String own = (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(field.getName());
				addComponent(own.isEmpty() ? group : group + "." + own, field);
			}
		}
	}

	private void addComponent(String name, Field field) {
		if (field.getType().isRecord()) {
			addGroup(name, field.getType());
			return;
		}
		add(name);
		if (field.getType() == Map.class && field.getGenericType() instanceof ParameterizedType map) {
			Type value = map.getActualTypeArguments()[1];
			addValue(name, (value instanceof Class<?> known) ? known : Object.class);
		}
	}

	private void add(String name) {
		this.names.add(name.split("\\."));
	}

	/**
	 * Returns whether the metadata of Redelay is there. Only one file of that name is
	 * left where many jars are packed into one.
	 */
	boolean isComplete() {
		return contains(ConfigurationPropertyName.of(UnknownProperties.LEVEL), false);
	}

	/**
	 * Returns whether there is a property of a name.
	 * @param name the name, in any form that Spring Boot reads
	 * @param variable whether it is the name of an environment variable, in which an
	 * underscore can be a dash too
	 */
	boolean contains(ConfigurationPropertyName name, boolean variable) {
		return this.names.stream().anyMatch((known) -> matches(known, name, variable));
	}

	private static boolean matches(String[] known, ConfigurationPropertyName name, boolean variable) {
		int count = name.getNumberOfElements();
		int at = 0;
		for (String element : known) {
			if (at == count) {
				return false;
			}
			if (element.equals(REST)) {
				return true;
			}
			String given = name.getElement(at++, Form.UNIFORM);
			if (!element.equals(KEY)) {
				String wanted = uniform(element);
				while (variable && given.length() < wanted.length() && at < count) {
					given += name.getElement(at++, Form.UNIFORM);
				}
				if (!given.equals(wanted)) {
					return false;
				}
			}
		}
		return at == count || (at == count - 1 && name.isNumericIndex(at));
	}

	private static String uniform(String element) {
		return element.replace("-", "");
	}

	/**
	 * Returns the property whose name looks most like one that does not exist: first of
	 * all those that end alike, for a property is often written into the wrong group.
	 */
	@Nullable String nearest(ConfigurationPropertyName name) {
		int count = name.getNumberOfElements();
		String last = name.getElement(count - 1, Form.UNIFORM);
		String whole = uniform(name.toString());
		String nearest = null;
		int least = Integer.MAX_VALUE;
		for (String[] known : this.names) {
			boolean alike = distance(last, uniform(known[known.length - 1])) <= last.length() / 4;
			for (int shift : new int[] { 0, count - known.length }) {
				String candidate = withKeys(known, name, shift);
				int distance = distance(whole, uniform(candidate));
				// A group too many behind a key is as likely as one too few before it.
				int rank = (alike ? distance : distance + whole.length()) + ((shift > 0) ? last.length() / 2 : 0);
				if ((alike || distance <= 2) && rank < least) {
					least = rank;
					nearest = candidate;
				}
			}
		}
		return nearest;
	}

	/**
	 * Returns a known name with the keys that a given one has at the same places, counted
	 * from the beginning or, by a shift, from the end.
	 */
	private static String withKeys(String[] known, ConfigurationPropertyName name, int shift) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < known.length; i++) {
			int at = i + shift;
			boolean key = known[i].startsWith(KEY) && at > 0 && at < name.getNumberOfElements();
			String element = key ? name.getElement(at, Form.ORIGINAL)
					: known[i].replace(REST, KEY).replace(KEY, "<name>");
			text.append(element.contains(".") ? "[" + element + "]" : (i > 0 ? "." : "") + element);
		}
		return text.toString();
	}

	/**
	 * Returns how many letters are wrong, missing, too many or swapped with the next one.
	 */
	private static int distance(String one, String other) {
		int[][] costs = new int[one.length() + 1][other.length() + 1];
		for (int i = 0; i <= one.length(); i++) {
			for (int j = 0; j <= other.length(); j++) {
				if (i == 0 || j == 0) {
					costs[i][j] = i + j;
					continue;
				}
				boolean same = one.charAt(i - 1) == other.charAt(j - 1);
				costs[i][j] = Math.min(costs[i - 1][j - 1] + (same ? 0 : 1),
						Math.min(costs[i - 1][j], costs[i][j - 1]) + 1);
				if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2)
						&& one.charAt(i - 2) == other.charAt(j - 1)) {
					costs[i][j] = Math.min(costs[i][j], costs[i - 2][j - 2] + 1);
				}
			}
		}
		return costs[one.length()][other.length()];
	}

}
