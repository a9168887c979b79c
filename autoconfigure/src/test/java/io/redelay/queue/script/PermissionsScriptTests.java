package io.redelay.queue.script;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.Script;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The script that tries what the user may do tries all commands that the others use.
 */
class PermissionsScriptTests {

	private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\(\\s*'(\\w+)'");

	/**
	 * What scripts do without if the user may not use it.
	 */
	private static final Set<String> OPTIONAL = Set.of("INFO");

	private final LuaScripts scripts = LuaScripts.load();

	@Test
	void triesEachCommandOfTheOtherScriptsAndNoOther() {
		Set<String> used = new TreeSet<>();
		for (Script script : Script.values()) {
			if (script != Script.PERMISSIONS) {
				used.addAll(commands(script));
			}
		}
		used.removeAll(OPTIONAL);
		assertThat(used).hasSizeGreaterThan(40);
		assertThat(commands(Script.PERMISSIONS))
			.as("commands in permissions.lua; add a line for each that a script uses")
			.isEqualTo(used);
	}

	private Set<String> commands(Script script) {
		return COMMAND.matcher(this.scripts.text(script))
			.results()
			.map((MatchResult command) -> command.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
