package io.redelay.queue.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.Assert;

/**
 * The texts of the scripts, with includes and without comments, and the names of their
 * keys.
 * <p>
 * Lines that begin with these words are directives:
 * <ul>
 * <li>{@code --@include name} stands for the text of an include where a script names it
 * first, and for nothing where it names it again.</li>
 * <li>{@code --@paste name} stands for the text of an include each time.</li>
 * <li>{@code --@script name} stands for another script that is sent within this one.</li>
 * <li>{@code --@keyed} and {@code --@end}: what is between them is left out where the
 * script is sent alone.</li>
 * <li>{@code --@keys name name ...} names the keys of a script in their order; several
 * lines are one list. {@code KEYS.dead_messages} then stands for the place of
 * {@code dead:messages} in {@code KEYS}, in the script and in its includes, and
 * {@code KEYS_AT.dead_messages} for its number.</li>
 * <li>{@code --@keys-of name} stands for the list of another script, without keys that
 * are named before. In an include it says that {@code KEYS} there are as in that
 * script.</li>
 * </ul>
 */
public final class LuaScripts {

	private static final String SCRIPTS = "io/redelay/queue/script/";

	private static final String INCLUDES = SCRIPTS + "includes/";

	private static final String COMMENT = "--";

	private static final String INCLUDE = COMMENT + "@include ";

	private static final String PASTE = COMMENT + "@paste ";

	private static final String SCRIPT = COMMENT + "@script ";

	private static final String KEYED = COMMENT + "@keyed";

	private static final String END = COMMENT + "@end";

	private static final String KEYS = COMMENT + "@keys ";

	private static final String KEYS_OF = COMMENT + "@keys-of ";

	private static final Pattern NAMED_KEY = Pattern.compile("\\bKEYS(_AT)?\\.(\\w+)");

	private final Files files;

	private final Map<Script, String> texts = new ConcurrentHashMap<>();

	private final Map<Script, List<ScriptKey>> keys = new ConcurrentHashMap<>();

	private LuaScripts(Files files) {
		this.files = files;
	}

	/**
	 * Returns the text that has a script, which may have others as well.
	 */
	public String text(Script script) {
		Script sent = script.sent();
		String text = this.texts.get(sent);
		return (text != null) ? text : this.texts.computeIfAbsent(sent,
				(each) -> new Expansion(this.files).expand(this.files.script(each.file())));
	}

	/**
	 * Returns the keys of a script in their order.
	 * @return the keys; empty if the script does not declare its keys by name
	 */
	List<ScriptKey> keys(Script script) {
		List<ScriptKey> known = this.keys.get(script);
		return (known != null) ? known : this.keys.computeIfAbsent(script,
				(each) -> this.files.keys(this.files.script(each.file())).stream().map(ScriptKey::named).toList());
	}

	/**
	 * Returns the scripts of the jar. Each is read once, when it is needed first: an
	 * application has several stores, and runs some fifteen of the scripts.
	 * @return the scripts
	 */
	public static LuaScripts load() {
		return Packaged.SCRIPTS;
	}

	/**
	 * Loads the scripts with other text for some of the included files.
	 * @param replaced text by the name of the included file
	 * @return the scripts
	 */
	static LuaScripts load(Map<String, String> replaced) {
		return new LuaScripts(new Files(replaced));
	}

	/**
	 * Returns the text of an include.
	 * @param name its name, without the extension
	 * @return its text as it is in the file
	 */
	static String include(String name) {
		return read(INCLUDES + name);
	}

	private static String read(String path) {
		try {
			return new String(
					new ClassPathResource(path + ".lua", LuaScripts.class.getClassLoader()).getContentAsByteArray(),
					StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The script '" + path + ".lua' is not in the jar", ex);
		}
	}

	/**
	 * The scripts of the jar, read when they are asked for first.
	 */
	private static final class Packaged {

		private static final LuaScripts SCRIPTS = load(Map.of());

	}

	/**
	 * The files, each read once, without comments: directives and code. Kept as one text
	 * each, as thousands of lines take twice the memory.
	 */
	private static final class Files {

		private final Map<String, String> replaced;

		private final Map<String, String> stripped = new ConcurrentHashMap<>();

		Files(Map<String, String> replaced) {
			this.replaced = replaced;
		}

		List<String> script(String name) {
			return this.stripped.computeIfAbsent(SCRIPTS + name, (path) -> stripped(read(path))).lines().toList();
		}

		List<String> include(String name) {
			return this.stripped.computeIfAbsent(INCLUDES + name, (path) -> {
				String replacement = this.replaced.get(name);
				return stripped((replacement != null) ? replacement : read(path));
			}).lines().toList();
		}

		List<String> keys(List<String> lines) {
			Set<String> keys = new LinkedHashSet<>();
			for (String line : lines) {
				if (line.startsWith(KEYS)) {
					keys.addAll(List.of(line.substring(KEYS.length()).strip().split(" +")));
				}
				else if (line.startsWith(KEYS_OF)) {
					keys.addAll(keys(script(line.substring(KEYS_OF.length()))));
				}
			}
			return List.copyOf(keys);
		}

		private static String stripped(String text) {
			StringBuilder code = new StringBuilder(text.length());
			for (String each : text.split("\n")) {
				String line = each.strip();
				if (!line.isEmpty() && (!line.startsWith(COMMENT) || line.startsWith(COMMENT + "@"))) {
					code.append(code.isEmpty() ? "" : "\n").append(line);
				}
			}
			return code.toString();
		}

	}

	/**
	 * Puts the includes into one script.
	 */
	private static final class Expansion {

		private final Files files;

		private final Set<String> included = new HashSet<>();

		private final StringBuilder result = new StringBuilder();

		Expansion(Files files) {
			this.files = files;
		}

		String expand(List<String> lines) {
			append(lines, List.of(), false);
			return this.result.toString();
		}

		private void append(List<String> lines, List<String> outerKeys, boolean within) {
			List<String> own = this.files.keys(lines).stream().map((key) -> key.replace(':', '_')).toList();
			List<String> keys = own.isEmpty() ? outerKeys : own;
			boolean leftOut = false;
			for (String line : lines) {
				if (line.equals(KEYED) || line.equals(END)) {
					leftOut = line.equals(KEYED) && !within;
				}
				else if (!leftOut) {
					append(line, keys, within);
				}
			}
		}

		private void append(String line, List<String> keys, boolean within) {
			if (!line.startsWith(COMMENT)) {
				this.result.append(this.result.isEmpty() ? "" : "\n").append(withPlaces(line, keys));
			}
			else if (line.startsWith(PASTE)) {
				append(this.files.include(line.substring(PASTE.length())), keys, within);
			}
			else if (line.startsWith(INCLUDE)) {
				String name = line.substring(INCLUDE.length());
				if (this.included.add(name)) {
					append(this.files.include(name), keys, within);
				}
			}
			else if (line.startsWith(SCRIPT)) {
				append(this.files.script(line.substring(SCRIPT.length())), keys, true);
			}
		}

		private static String withPlaces(String line, List<String> keys) {
			if (!line.contains("KEYS")) {
				return line;
			}
			return NAMED_KEY.matcher(line).replaceAll((MatchResult match) -> {
				int place = place(match.group(2), keys);
				return (match.group(1) != null) ? Integer.toString(place) : "KEYS[" + place + "]";
			});
		}

		private static int place(String name, List<String> keys) {
			int place = keys.indexOf(name) + 1;
			Assert.state(place > 0, () -> "A script uses KEYS." + name + ", which is none of its keys " + keys);
			return place;
		}

	}

}
