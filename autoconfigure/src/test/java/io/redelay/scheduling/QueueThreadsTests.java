package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link QueueThreads}.
 */
class QueueThreadsTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	@Test
	void handlersInheritNothingOfTheThreadThatNeedsOneFirst() throws Exception {
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

	@Test
	void dropsWhatIsToBeDoneLaterAtItsEnd() {
		QueueThreads threads = QueueThreads.platform();
		AtomicBoolean ran = new AtomicBoolean();
		threads.scheduler().schedule(() -> ran.set(true), Duration.ofMinutes(10));
		threads.close();
		assertThat(threads.scheduler().schedule(() -> ran.set(true), Duration.ZERO)).isNull();
		await().atMost(LONG).until(threads.timer()::isTerminated);
		assertThat(ran).isFalse();
	}

	@Test
	void stillDoesWhatIsDueWithinAMomentOfItsEnd() {
		QueueThreads threads = QueueThreads.platform();
		CompletableFuture<String> left = new CompletableFuture<>();
		threads.scheduler().schedule(() -> left.complete("left"), Duration.ofMillis(20));
		threads.close();
		assertThat(left).succeedsWithin(LONG);
	}

}
