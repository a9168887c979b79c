package io.redelay.queue.claim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import io.redelay.queue.invariant.Invariant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LoopState}: the chapter "Inside" has the same table.
 */
class LoopStateTests {

	private static final Path GUIDE = Path.of("..", "docs", "src", "docs", "asciidoc");

	@Test
	void theGuideHasTheSameTable() throws IOException {
		Map<LoopState, Set<LoopState>> documented = new EnumMap<>(LoopState.class);
		for (String row : section().split("\n\\|(?=`[A-Z])")) {
			String[] cells = row.split("\\|");
			if (cells[0].startsWith("`")) {
				documented.put(states(cells[0]).iterator().next(), states(cells[2]));
			}
		}
		Map<LoopState, Set<LoopState>> coded = new EnumMap<>(LoopState.class);
		for (LoopState state : LoopState.values()) {
			coded.put(state, state.next());
		}
		assertThat(documented).isEqualTo(coded);
	}

	@Test
	void theGuideNamesEachInvariant() throws IOException {
		String tag = Files.readString(GUIDE.resolve("observability.adoc"))
			.lines()
			.filter((line) -> line.startsWith("|`what` |"))
			.findFirst()
			.orElseThrow();
		for (Invariant invariant : Invariant.values()) {
			assertThat(tag).contains("`" + invariant.label() + "`");
		}
	}

	@Test
	void eachStateIsReachedAndLeft() {
		Set<LoopState> reached = EnumSet.of(LoopState.IDLE);
		for (LoopState state : LoopState.values()) {
			assertThat(state.next()).as(state.name()).isNotEmpty();
			reached.addAll(state.next());
		}
		assertThat(reached).containsExactlyInAnyOrder(LoopState.values());
	}

	private static String section() throws IOException {
		String chapter = Files.readString(GUIDE.resolve("inside.adoc"));
		int from = chapter.indexOf("|State |What the loop does |Next states");
		return chapter.substring(from, chapter.indexOf("\n|===\n", from));
	}

	private static Set<LoopState> states(String cell) {
		Set<LoopState> states = EnumSet.noneOf(LoopState.class);
		Pattern.compile("`([A-Z_]+)`")
			.matcher(cell)
			.results()
			.forEach((name) -> states.add(LoopState.valueOf(name.group(1))));
		return states;
	}

}
