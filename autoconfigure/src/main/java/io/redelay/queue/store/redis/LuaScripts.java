package io.redelay.queue.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;

/**
 * The texts of the scripts, with their includes put in and their comments taken out.
 */
final class LuaScripts {

	private static final String SCRIPTS = "io/redelay/queue/store/";

	private static final String INCLUDES = SCRIPTS + "includes/";

	private static final Pattern INCLUDE = Pattern.compile("(?m)^ *--@include (\\w+)$");

	private final Map<Script, String> texts;

	private LuaScripts(Map<Script, String> texts) {
		this.texts = texts;
	}

	String text(Script script) {
		return Objects.requireNonNull(this.texts.get(script));
	}

	static LuaScripts load() {
		return load(Map.of());
	}

	/**
	 * Loads the scripts with other text for some of the included files.
	 * @param replaced text by the name of the included file
	 * @return the scripts
	 */
	static LuaScripts load(Map<String, String> replaced) {
		Function<String, String> source = (name) -> {
			String text = replaced.get(name);
			return (text != null) ? text : include(name);
		};
		Map<Script, String> texts = new EnumMap<>(Script.class);
		for (Script script : Script.values()) {
			texts.put(script, compact(expand(read(SCRIPTS + script.file()), source)));
		}
		return new LuaScripts(texts);
	}

	private static String expand(String text, Function<String, String> source) {
		return INCLUDE.matcher(text)
			.replaceAll((include) -> Matcher.quoteReplacement(expand(source.apply(include.group(1)), source)));
	}

	/**
	 * The text of an include.
	 * @param name its name, without the extension
	 * @return its text as it is in the file
	 */
	static String include(String name) {
		return read(INCLUDES + name);
	}

	private static String read(String path) {
		try {
			return new ClassPathResource(path + ".lua", LuaScripts.class.getClassLoader())
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The script '" + path + ".lua' is not in the jar", ex);
		}
	}

	private static String compact(String text) {
		return text.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !line.startsWith("--"))
			.collect(Collectors.joining("\n"));
	}

}
