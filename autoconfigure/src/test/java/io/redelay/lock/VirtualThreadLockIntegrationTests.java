package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

/**
 * Tests for locks that virtual threads take.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadLockIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static LockApplication application;

	private static SimpleAsyncTaskExecutor threads;

	private final String name = LockApplication.name();

	@BeforeAll
	static void start() {
		application = LockApplication.start(redis.client(),
				(context) -> TestPropertyValues.of("spring.threads.virtual.enabled=true").applyTo(context));
		threads = new SimpleAsyncTaskExecutor();
		threads.setVirtualThreads(true);
	}

	@AfterAll
	static void stop() {
		threads.close();
		application.close();
	}

	@Test
	void oneAtATimeThoughManyWait() {
		Sale sale = new Sale(redis.client(), this.name);
		CompletableFuture<?>[] all = IntStream.range(0, 100).mapToObj((i) -> async(() -> execute(() -> {
			sale.sell();
			return "sold";
		}))).toArray(CompletableFuture[]::new);
		assertThat(CompletableFuture.allOf(all)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(sale.sold()).isEqualTo(100);
	}

	@Test
	void entersAgainOnTheSameThreadOnly() {
		CompletableFuture<String> result = async(() -> execute(() -> {
			CompletableFuture<String> other = async(() -> application.template()
				.execute(spec().withStrategy(MyLockStrategy.SKIP_FAST), () -> "entered"));
			return other.join() + "/" + execute(() -> "entered again");
		}));
		assertThat(result).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("null/entered again");
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void interruptedWaitLeavesNothing() {
		Runnable release = application.hold(this.name);
		AtomicInteger interrupted = new AtomicInteger();
		Thread[] thread = new Thread[1];
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
			thread[0] = Thread.currentThread();
			try {
				execute(() -> "run");
			}
			catch (LockInterruptedException ex) {
				interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 10);
			}
		}, threads);
		await().until(() -> thread[0] != null && thread[0].getState() == Thread.State.WAITING);
		thread[0].interrupt();
		await().untilAtomic(interrupted, is(1));
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1));
		release.run();
		await().during(Duration.ofMillis(300)).until(() -> application.isFree(this.name));
	}

	private <T> T execute(LockedCallback<T, RuntimeException> body) {
		return application.template().execute(spec().withStrategy(MyLockStrategy.KEEP_TRYING), body);
	}

	private LockSpec spec() {
		return LockSpec.of(this.name);
	}

	private static <T> CompletableFuture<T> async(Supplier<T> action) {
		return CompletableFuture.supplyAsync(action, threads);
	}

}
