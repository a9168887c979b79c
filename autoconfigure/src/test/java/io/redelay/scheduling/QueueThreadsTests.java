package io.redelay.scheduling;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueThreads}.
 */
class QueueThreadsTests {

	@Test
	void handlersInheritNothingOfWhoeverNeedsAThreadFirst() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			Thread handler = Elsewhere.run(threads.handlers(), null);
			assertThat(handler.getName()).isEqualTo("redelay-handler-1");
			assertThat(handler.isDaemon()).isTrue();
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void virtualHandlersHaveTheClassLoaderOfTheApplication() throws Exception {
		try (QueueThreads threads = QueueThreads.virtual()) {
			assertThat(Elsewhere.run(threads.handlers(), "of a request").getName()).startsWith("redelay-handler-");
		}
	}

	@Test
	void theTimerIsOfTheApplicationToo() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			assertThat(Elsewhere.run(threads.timer(), null).getName()).isEqualTo("redelay-timer-1");
		}
	}

}
