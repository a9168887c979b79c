package io.redelay.lock;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.test.MemoryLocks;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for what comes of results of {@link LockFailureHandler}s.
 */
class LockFailureHandlerTests {

	private final MemoryLocks locks = new MemoryLocks();

	private Object result;

	@Test
	void resultOfAnotherTypeIsReportedWithTheNameOfTheHandler() {
		run((work) -> {
			this.result = "text";
			assertNamed(work::number, "java.lang.String", "number", "java.lang.Integer");
			assertNamed(work::primitive, "java.lang.String", "primitive", "int");
			assertNamed(work::future, "java.lang.String", "future", CompletableFuture.class.getName());
			assertNamed(() -> work.mono().block(), "java.lang.String", "mono", Mono.class.getName());
			this.result = null;
			assertNamed(work::primitive, "null", "primitive", "int");
		});
	}

	@Test
	void resultOfTheTypeIsReturned() {
		run((work) -> {
			this.result = 7;
			assertThat(work.number()).isEqualTo(7);
			assertThat(work.primitive()).isEqualTo(7);
			work.nothing();
			this.result = Flux.just("flux");
			assertThat(work.mono().block()).isEqualTo("flux");
			this.result = null;
			assertThat(work.number()).isNull();
			assertThat(work.mono().block()).isNull();
		});
	}

	private static void assertNamed(ThrowingCallable call, String... words) {
		assertThatExceptionOfType(LockException.class).isThrownBy(call)
			.withMessageContaining("'handler'")
			.satisfies((ex) -> assertThat(ex).hasMessageContainingAll(words));
	}

	private void run(Consumer<Work> test) {
		this.locks.hold("redelay:memory:{x}");
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean("handler", LockFailureHandler.class, () -> (failure) -> this.result)
			.withBean(Work.class)
			.run((context) -> test.accept(context.getBean(Work.class)));
	}

	@MyLock(name = "x", lockProvider = "memory", waitTime = 0, failureHandler = "handler")
	static class Work {

		public Integer number() {
			return 1;
		}

		public int primitive() {
			return 1;
		}

		public void nothing() {
		}

		public CompletableFuture<String> future() {
			return new CompletableFuture<>();
		}

		public Mono<String> mono() {
			return Mono.empty();
		}

	}

}
