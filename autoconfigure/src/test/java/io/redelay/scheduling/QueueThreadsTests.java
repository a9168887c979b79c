package io.redelay.scheduling;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueThreads}.
 */
class QueueThreadsTests {

	private static final InheritableThreadLocal<String> context = new InheritableThreadLocal<>();

	@Test
	void handlersInheritNothingOfWhoeverNeedsAThreadFirst() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			Thread handler = runFromElsewhere(threads.handlers(), null);
			assertThat(handler.getName()).isEqualTo("redelay-handler-1");
			assertThat(handler.isDaemon()).isTrue();
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void virtualHandlersHaveTheClassLoaderOfTheApplication() throws Exception {
		try (QueueThreads threads = QueueThreads.virtual()) {
			assertThat(runFromElsewhere(threads.handlers(), "of a request").getName()).startsWith("redelay-handler-");
		}
	}

	@Test
	void theTimerIsOfTheApplicationToo() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			assertThat(runFromElsewhere(threads.timer(), null).getName()).isEqualTo("redelay-timer-1");
		}
	}

	private static Thread runFromElsewhere(Executor executor, String inherited) throws Exception {
		ClassLoader own = Thread.currentThread().getContextClassLoader();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<ClassLoader> classLoader = new CompletableFuture<>();
		CompletableFuture<String> value = new CompletableFuture<>();
		Thread elsewhere = new Thread(() -> {
			context.set("of a request");
			executor.execute(() -> {
				value.complete(context.get());
				classLoader.complete(Thread.currentThread().getContextClassLoader());
				thread.complete(Thread.currentThread());
			});
		});
		elsewhere.setContextClassLoader(new URLClassLoader(new URL[0], null));
		elsewhere.start();
		assertThat(thread.get(30, TimeUnit.SECONDS)).isNotNull();
		assertThat(classLoader.get(30, TimeUnit.SECONDS)).isSameAs(own);
		assertThat(value.get(30, TimeUnit.SECONDS)).isEqualTo(inherited);
		return thread.get();
	}

}
