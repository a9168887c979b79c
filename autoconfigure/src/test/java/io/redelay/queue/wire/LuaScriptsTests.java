package io.redelay.queue.wire;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.redelay.queue.request.SenderMemory;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
	void anIncludeIsPutInWhereItIsNamedFirst() {
		LuaScripts scripts = LuaScripts
			.load(Map.of("clock", "--@include wake\n--@include wake\nlocal now = 1\n--@paste plus\n--@paste plus"));
		assertThat(scripts.text(Script.FIND)).containsOnlyOnce("local function wake(")
			.containsPattern("(?s)local now = 1\nlocal function plus\\(.*local function plus\\(");
	}

	@Test
	void whatIsForKeyedQueuesIsLeftOutWhereTheScriptIsSentAlone() {
		LuaScripts scripts = LuaScripts.load(Map.of("claim_presence", "--@keyed\nlocal a = 1\n--@end\nlocal b = 2"));
		assertThat(scripts.text(Script.CLAIM)).contains("local b = 2").doesNotContain("local a = 1");
		assertThat(scripts.text(Script.KEYED_CLAIM)).contains("local a = 1\nlocal b = 2");
	}

	@Test
	void keysHaveNamesAndPlaces() {
		LuaScripts scripts = LuaScripts
			.load(Map.of("clock", "--@keys a dead:messages\n--@keys-of count\nlocal now = KEYS.dead_messages"));
		assertThat(scripts.text(Script.FIND)).contains("local now = KEYS[2]");
		assertThatIllegalStateException()
			.isThrownBy(() -> LuaScripts.load(Map.of("clock", "--@keys a\nlocal now = KEYS.b")).text(Script.FIND))
			.withMessageContaining("KEYS.b");
	}

	@Test
	void eachScriptHasItsFileAndEachFileItsScript() throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/redelay/queue/script/*.lua");
		assertThat(files).extracting(Resource::getFilename)
			.containsExactlyInAnyOrderElementsOf(
					Stream.of(Script.values()).map((script) -> script.file() + ".lua").distinct().toList());
	}

	/**
	 * A sender may send again for as long, and what was acknowledged meanwhile must not
	 * come again.
	 */
	@Test
	void whatIsPastIsKeptForAsLongAsASenderIsRemembered() {
		assertThat(LuaScripts.include("past")).contains("PAST_MS = '@deleted', '" + SenderMemory.MILLIS + "'");
	}

	/**
	 * Redis 7.2 writes some large numbers with an exponent, and then wants an integer.
	 */
	@Test
	void expiriesArePassedAsDigits() {
		LuaScripts scripts = LuaScripts.load();
		List<String> expiring = Stream.of(Script.values())
			.flatMap((script) -> scripts.text(script).lines())
			.filter((line) -> line.contains("'PEXPIREAT'"))
			.toList();
		assertThat(expiring).isNotEmpty()
			.allSatisfy((line) -> assertThat(line).containsPattern(", (expiry|string\\.format\\(.*\\))\\)$"));
	}

	@Test
	void theTextsStayShort() {
		LuaScripts scripts = LuaScripts.load();
		assertThat(scripts.text(Script.CLAIM).lines().count()).isLessThan(1_800);
		assertThat(Stream.of(Script.values())
			.filter((script) -> script.sent() == script)
			.mapToLong((script) -> scripts.text(script).lines().count())
			.sum()).isLessThan(9_560);
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
