package io.redelay.lock;

import io.redelay.scheduling.Elsewhere;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockThreads}.
 */
class LockThreadsTests {

	@Test
	void inheritNothingOfTheClientsThread() throws Exception {
		try (LockThreads threads = LockThreads.platform()) {
			Thread thread = Elsewhere.run(threads.executor(), null);
			assertThat(thread.getName()).isEqualTo("redelay-lock-1");
			assertThat(thread.isDaemon()).isTrue();
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void haveTheClassLoaderOfTheApplicationIfTheyAreVirtual() throws Exception {
		try (LockThreads threads = LockThreads.virtual()) {
			assertThat(Elsewhere.run(threads.executor(), "of a request").getName()).startsWith("redelay-lock-");
		}
	}

}
