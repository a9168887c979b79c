package io.redelay.queue.store;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LuaScripts}.
 */
class LuaScriptsTests {

	@Test
	void whatIsIncludedMayIncludeInItsTurn() {
		LuaScripts scripts = LuaScripts.load(Map.of("clock", "  --@include wake\nlocal now = 1"));
		assertThat(scripts.text(Script.FIND)).contains("local function wake(", "local now = 1");
	}

	@Test
	void commentsAndIndentationAreLeftOut() {
		LuaScripts scripts = LuaScripts.load();
		for (Script script : Script.values()) {
			assertThat(scripts.text(script).lines()).isNotEmpty()
				.allSatisfy((line) -> assertThat(line).isNotBlank().doesNotStartWith("--").isEqualTo(line.strip()));
		}
	}

}
