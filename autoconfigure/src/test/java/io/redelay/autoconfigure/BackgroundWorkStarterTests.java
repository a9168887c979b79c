package io.redelay.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BackgroundWorkStarter}.
 */
class BackgroundWorkStarterTests {

	private final List<String> started = new ArrayList<>();

	private final BackgroundWorkStarter starter = new BackgroundWorkStarter();

	@Test
	void startsNothingBeforeTheFirstClaim() {
		this.starter.add(() -> this.started.add("sweeper"));
		assertThat(this.started).isEmpty();
		this.starter.start();
		assertThat(this.started).containsExactly("sweeper");
	}

	@Test
	void startsAtOnceWhatIsAddedLater() {
		this.starter.start();
		this.starter.add(() -> this.started.add("jobs"));
		assertThat(this.started).containsExactly("jobs");
	}

	@Test
	void triesAgainWithEachClaim() {
		this.starter.add(() -> this.started.add("sweeper"));
		this.starter.start();
		this.starter.start();
		assertThat(this.started).containsExactly("sweeper", "sweeper");
	}

}
