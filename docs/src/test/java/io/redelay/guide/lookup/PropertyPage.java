package io.redelay.guide.lookup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The page of all properties.
 */
final class PropertyPage {

	private static final Pattern PREFIX = Pattern.compile("@ConfigurationProperties\\(\"([^\"]+)\"\\)");

	private static final Pattern COMPONENT = Pattern.compile("(?s)(.*?)((?:\\w+\\.)*\\w+(?:<.*>)?) (\\w+)$");

	private static final Pattern DEFAULT = Pattern.compile("@DefaultValue\\(\\s*\"([^\"]*)\"");

	private static final Map<String, String> TYPES = Map.ofEntries(Map.entry("boolean", "`true`, `false`"),
			Map.entry("Boolean", "`true`, `false`"), Map.entry("int", "integer"), Map.entry("Integer", "integer"),
			Map.entry("long", "integer"), Map.entry("Long", "integer"), Map.entry("double", "number"),
			Map.entry("Double", "number"), Map.entry("Duration", "duration"), Map.entry("DataSize", "size"),
			Map.entry("String", "text"), Map.entry("Path", "path"), Map.entry("Instant", "time"),
			Map.entry("List<String>", "list of texts"), Map.entry("Set<String>", "list of texts"),
			Map.entry("Map<String, String>", "texts by name"),
			Map.entry("DatabaseInitializationMode", "`embedded`, `always`, `never`"),
			Map.entry("Show", "`never`, `always`, `when-authorized`"));

	private static final Map<String, String> KEYS = Map.of("groups", "<group>", "filter", "<header>");

	private final Sources sources;

	private final Map<String, Property> properties = new TreeMap<>();

	private PropertyPage(Sources sources) {
		this.sources = sources;
	}

	/**
	 * Finds all properties.
	 * @param root the folder of the modules
	 * @param sources the types of the modules
	 * @return the properties by their names
	 * @throws IOException if a file cannot be read
	 */
	static Map<String, Property> properties(Path root, Sources sources) throws IOException {
		PropertyPage page = new PropertyPage(sources);
		sources.all((type) -> type.kind().equals("record")).forEach((type) -> {
			Matcher prefix = PREFIX.matcher(type.modifiers());
			if (prefix.find()) {
				page.collect(prefix.group(1), type);
			}
		});
		for (String module : Sources.MODULES) {
			Path more = root
				.resolve(module + "/src/main/resources/META-INF/additional-spring-configuration-metadata.json");
			if (Files.exists(more)) {
				JsonMapper.shared().readTree(Files.readString(more)).path("properties").forEach(page::override);
			}
		}
		page.properties.replaceAll((name, property) -> page.inherit(name, property));
		return page.properties;
	}

	static String write(Map<String, Property> properties) {
		Table page = new Table("look-up-properties", "All properties",
				"This page lists each property of Redelay with its type, its default and its meaning. It is made from the "
						+ "code. <<configuration>> lists them by theme, with links to the chapters. Durations are written like "
						+ "`500ms`, `30s` or `PT30S`, sizes like `1MB`.");
		String section = "";
		Iterable<Map.Entry<String, Property>> sorted = properties.entrySet()
			.stream()
			.sorted(Comparator.comparing((property) -> section(property.getKey())))::iterator;
		for (Map.Entry<String, Property> property : sorted) {
			String current = section(property.getKey());
			if (!current.equals(section)) {
				if (!section.isEmpty()) {
					page.end();
				}
				section = current;
				page.section("look-up-" + current.replaceAll("[^a-z]+", "-").replaceAll("-$", ""),
						"`+" + current + "+`");
				page.begin("5,2,2,5", "Property", "Type", "Default", "Meaning");
			}
			page.row(List.of("`+" + property.getKey() + "+`", property.getValue().type(), property.getValue().value(),
					property.getValue().meaning()));
		}
		page.end();
		return page.toString();
	}

	private static String section(String name) {
		Matcher named = Pattern
			.compile("^(redelay\\.queue\\.\\w+\\.<name>|management|redelay\\.queue\\.[\\w-]+(?=\\.)|redelay\\.[\\w-]+)")
			.matcher(name);
		return named.find() ? named.group() : name;
	}

	private void collect(String prefix, JavaType type) {
		for (String component : split(type.header())) {
			Matcher parts = COMPONENT.matcher(component.strip());
			if (parts.matches()) {
				collect(prefix, type, parts.group(1), parts.group(2).replaceAll("\\s+", " "), parts.group(3));
			}
		}
	}

	private void collect(String prefix, JavaType user, String annotations, String type, String component) {
		String kebab = component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
		String name = annotations.contains("@Name(\"\")") ? prefix : prefix + "." + kebab;
		String map = type.startsWith("Map<String, ") ? type.substring(12, type.length() - 1) : "";
		Optional<JavaType> nested = this.sources.find(map.isEmpty() ? type : map, user)
			.filter((found) -> found.kind().equals("record"));
		if (nested.isPresent()) {
			collect(map.isEmpty() ? name : name + "." + KEYS.getOrDefault(kebab, "<name>"), nested.get());
			return;
		}
		String text = user.javadoc().params().getOrDefault(component, "");
		Matcher value = DEFAULT.matcher(annotations);
		this.properties.put(name,
				new Property(type(type, user), value.find() ? quoted(value.group(1)) : plain(Defaults.described(text)),
						plain(Defaults.without(text))));
	}

	private void override(JsonNode json) {
		String name = json.path("name").stringValue();
		Property known = this.properties.get(name);
		String type = json.path("type").asString("").replaceAll(".*\\.", "");
		String value = json.path("defaultValue").asString("");
		String meaning = json.path("description").asString("");
		this.properties.put(name,
				new Property((known != null) ? known.type() : TYPES.getOrDefault(type, type),
						(value.isEmpty() && known != null) ? known.value() : quoted(value),
						(meaning.isEmpty() && known != null) ? known.meaning() : plain(meaning)));
	}

	/**
	 * A property of a single queue that all queues have as well has the value of that by
	 * default.
	 */
	private Property inherit(String name, Property property) {
		String all = name.replace("redelay.queue.queues.<name>.", "redelay.queue.");
		String listeners = name.replace("redelay.queue.queues.<name>.", "redelay.queue.listener.");
		for (String other : List.of(all, listeners)) {
			if (!other.equals(name) && this.properties.containsKey(other)) {
				return new Property(property.type(), "that of `" + other + "`", property.meaning());
			}
		}
		return property;
	}

	private String type(String type, JavaType user) {
		String element = type.replaceAll("(?:Set|List)<(.*)>", "$1");
		Optional<String> values = this.sources.find(element, user)
			.filter((found) -> found.kind().equals("enum"))
			.map(PropertyPage::values);
		return TYPES.getOrDefault(type,
				values.map((all) -> (element.equals(type) ? "" : "list of ") + all).orElse(type));
	}

	private static String values(JavaType type) {
		List<String> values = new ArrayList<>();
		Matcher constant = Pattern.compile("(?m)^\\t+([A-Z][A-Z0-9_]*)(?:\\([^\\n]*\\))?(?:[,;]| \\{|$)")
			.matcher(type.body());
		while (constant.find()) {
			values.add("`" + constant.group(1).toLowerCase(Locale.ROOT).replace('_', '-') + "`");
		}
		return String.join(", ", values);
	}

	private static String quoted(String value) {
		return value.isEmpty() ? "" : "`" + value.replace(", ", "`, `") + "`";
	}

	/**
	 * What editors show has no markup, so code is found by its look.
	 */
	private static String plain(String text) {
		return text.replaceAll("\"([^\"]*[#${}@_*'/][^\"]*)\"", "`+$1+`")
			.replaceAll("(?<![`+\\w])((?:redelay|spring|management)\\.[a-z][\\w.<>*-]*[\\w*>])", "`+$1+`")
			.replaceAll("(?<![`+\\w#])(#\\{[^}]*})", "`+$1+`")
			.replaceAll("(?<![`+\\w])(@\\w+)", "`$1`")
			.replaceAll("(?<![`+\\w.@])([A-Z][a-z]+[A-Z]\\w*(?:\\.\\w+)*)", "`$1`");
	}

	private static List<String> split(String header) {
		String inside = header.substring(header.indexOf('(') + 1, Math.max(header.lastIndexOf(')'), 0));
		List<String> parts = new ArrayList<>();
		int depth = 0;
		boolean text = false;
		int from = 0;
		for (int i = 0; i < inside.length(); i++) {
			char c = inside.charAt(i);
			text ^= c == '"';
			if (!text) {
				depth += (c == '(' || c == '<') ? 1 : (c == ')' || c == '>') ? -1 : 0;
			}
			if (c == ',' && depth == 0 && !text) {
				parts.add(inside.substring(from, i));
				from = i + 1;
			}
		}
		parts.add(inside.substring(from));
		return parts;
	}

	/**
	 * A property.
	 *
	 * @param type its type, or the values that it may have
	 * @param value its default
	 * @param meaning what it sets
	 */
	record Property(String type, String value, String meaning) {

	}

}
