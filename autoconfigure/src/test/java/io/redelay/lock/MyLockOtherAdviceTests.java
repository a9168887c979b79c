package io.redelay.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Single;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.delivery.DeliveryScope;
import io.redelay.test.MemoryLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.redisson.api.RedissonClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for where {@link MyLock @MyLock} stands to other annotations of a method, and for
 * publishers that the method's type does not show.
 */
class MyLockOtherAdviceTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final Work work = new Work(this.locks);

	private Work proxy;

	private LockTemplate template;

	@ParameterizedTest
	@MethodSource("registrations")
	void retryIsInsideOfTheLock(Class<?>[] configurations) {
		run(configurations, () -> assertThat(this.proxy.retried()).isEqualTo("third"));
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{retried}");
		assertThat(this.work.locked).containsExactly(true, true, true);
	}

	@ParameterizedTest
	@MethodSource("registrations")
	void retryDoesNotRepeatABusyLock(Class<?>[] configurations) {
		this.locks.hold("redelay:memory:{retried}");
		run(configurations, () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.proxy.retried());
			this.locks.held().clear();
		});
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{retried}");
		assertThat(this.work.locked).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("registrations")
	void retryOfAMonoIsInsideOfTheLock(Class<?>[] configurations) {
		run(configurations, () -> assertThat(this.proxy.retriedMono().block()).isEqualTo("third"));
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{mono}");
		assertThat(this.work.locked).containsExactly(true, true, true);
	}

	@ParameterizedTest
	@MethodSource("registrations")
	void asyncIsOutsideOfTheLockAndOfTheRetry(Class<?>[] configurations) {
		run(configurations, () -> assertThat(this.proxy.async()).succeedsWithin(Duration.ofMinutes(1))
			.isNotEqualTo(Thread.currentThread().getName()));
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{async}");
		assertThat(this.work.locked).containsExactly(true, true, true);
	}

	@ParameterizedTest
	@MethodSource("registrationsOfAsync")
	void ofAnAsyncMethodTheFutureFailsWithABusyLockAndNotTheCaller(Class<?>[] configurations) {
		this.locks.hold("redelay:memory:{async}");
		run(configurations, () -> {
			CompletableFuture<String> result = this.proxy.async();
			assertThat(result).failsWithin(Duration.ofMinutes(1))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockNotAcquiredException.class);
			this.locks.held().clear();
		});
		assertThat(this.work.locked).isEmpty();
	}

	@Test
	void retryIsOutsideOfTheLockBesideAnAsyncOfAnOrderOfItsOwn() {
		run(new Class<?>[] { Beans.class, EarlyAsync.class, LockAutoConfiguration.class },
				() -> assertThat(this.proxy.retried()).isEqualTo("third"));
		assertThat(this.locks.keys()).hasSize(3);
		assertThat(this.work.locked).containsExactly(true, true, true);
	}

	@Test
	void cacheIsInsideOfTheLock() {
		run(() -> {
			assertThat(this.proxy.cached("a")).isEqualTo("a1");
			assertThat(this.proxy.cached("a")).isEqualTo("a1");
		});
		assertThat(this.work.locked).containsExactly(true);
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{cached}", "redelay:memory:{cached}");
	}

	@Test
	void publisherBehindAnotherTypeIsSubscribedToUnderTheLockToo() {
		run(() -> {
			Object result = this.proxy.object();
			assertThat(this.locks.held()).isEmpty();
			assertThat(((Mono<?>) result).block()).isEqualTo("mono");
			Flux<Boolean> flux = this.proxy.generic(Flux.defer(() -> Flux.just(this.work.note(), false)));
			assertThat(flux.collectList().block()).containsExactly(true, false);
		});
		assertThat(this.work.locked).containsExactly(true, true, true);
	}

	@Test
	void publisherBehindAnotherTypeIsNotSubscribedToWhileAnotherHoldsTheLock() {
		run(() -> {
			Mono<?> result = (Mono<?>) this.proxy.object();
			this.locks.hold("redelay:memory:{object}");
			assertThat(result.onErrorResume(LockNotAcquiredException.class, (ex) -> Mono.empty()).blockOptional())
				.isEmpty();
			this.locks.held().clear();
		});
		assertThat(this.work.locked).containsExactly(true);
	}

	@Test
	void publisherBehindAnotherTypeGivesTheFallbackWhileAnotherHoldsTheLock() {
		run(() -> {
			Mono<?> result = (Mono<?>) this.proxy.withFallback();
			this.locks.hold("redelay:memory:{fallback}");
			assertThat(result.block()).isEqualTo("instead");
			this.locks.held().clear();
		});
	}

	@Test
	void publisherBehindAnotherTypeIsNotKeptOutByTheMinHoldOfItsOwnMethod() {
		run(() -> {
			Object result = this.proxy.minHeld();
			assertThat(this.locks.held()).isEmpty();
			assertThat(((Mono<?>) result).block()).isEqualTo(true);
			assertThat(this.locks.held()).containsExactly("redelay:memory:{minHold}");
			this.locks.held().clear();
		});
	}

	@Test
	void publisherBehindAnotherTypeIsSkippedButNotWhileAMessageIsHandled() {
		run(() -> {
			Mono<?> result = (Mono<?>) this.proxy.skipping();
			this.locks.hold("redelay:memory:{skipping}");
			assertThat(result.blockOptional()).isEmpty();
			try (DeliveryScope scope = DeliveryScope.open()) {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(result::block);
			}
			this.locks.held().clear();
		});
	}

	@Test
	void publisherBehindAnInterfaceOfAnotherKindStaysAsItIs() {
		run(() -> {
			Named named = this.proxy.named();
			assertThat(named).isInstanceOf(NamedPublisher.class);
			assertThat(Mono.from((NamedPublisher) named).block()).isEqualTo("named");
		});
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{named}");
	}

	@Test
	void publisherOfAnotherLibraryStaysOne() {
		run(() -> {
			Single<Boolean> single = this.proxy.generic(Single.fromCallable(this.work::note));
			assertThat(single.blockingGet()).isTrue();
		});
	}

	@Test
	void publisherOfATemplatesCodeIsSubscribedToUnderTheLockToo() {
		run(() -> {
			LockSpec spec = LockSpec.of("by hand").withProvider("memory").withWaitTime(Duration.ZERO);
			Mono<Boolean> result = this.template.execute(spec, () -> Mono.fromCallable(this.work::note));
			assertThat(this.locks.held()).isEmpty();
			assertThat(result.block()).isTrue();
			this.locks.hold("redelay:memory:{by hand}");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(result::block);
			this.locks.held().clear();
		});
	}

	static Stream<Arguments> registrations() {
		return Stream.of(
				Arguments.argumentSet("locks last",
						(Object) new Class<?>[] { Beans.class, LateAsync.class, LockAutoConfiguration.class }),
				Arguments.argumentSet("locks first",
						(Object) new Class<?>[] { LockAutoConfiguration.class, Beans.class, LateAsync.class }));
	}

	static Stream<Arguments> registrationsOfAsync() {
		return Stream.concat(registrations(), Stream.of(Arguments.argumentSet("async first",
				(Object) new Class<?>[] { LockAutoConfiguration.class, Beans.class, EarlyAsync.class })));
	}

	private void run(Runnable test) {
		run(new Class<?>[] { Beans.class, LockAutoConfiguration.class }, test);
	}

	private void run(Class<?>[] configurations, Runnable test) {
		new ApplicationContextRunner().withUserConfiguration(configurations)
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean("work", Work.class, () -> this.work)
			.run((context) -> {
				this.proxy = context.getBean(Work.class);
				this.template = context.getBean(LockTemplate.class);
				test.run();
			});
		assertThat(this.locks.held()).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	@EnableCaching
	static class Beans {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class LateAsync {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(order = 0)
	static class EarlyAsync {

	}

	static class Work {

		private final MemoryLocks locks;

		final List<Boolean> locked = new CopyOnWriteArrayList<>();

		Work(MemoryLocks locks) {
			this.locks = locks;
		}

		@MyLock(name = "retried", lockProvider = "memory", waitTime = 0)
		@Retryable(maxRetries = 3, delay = 1)
		public String retried() {
			note();
			if (this.locked.size() < 3) {
				throw new IllegalStateException("again");
			}
			return "third";
		}

		@MyLock(name = "mono", lockProvider = "memory", waitTime = 0)
		@Retryable(maxRetries = 3, delay = 1)
		public Mono<String> retriedMono() {
			return Mono.fromCallable(() -> {
				note();
				if (this.locked.size() < 3) {
					throw new IllegalStateException("again");
				}
				return "third";
			});
		}

		@Async
		@MyLock(name = "async", lockProvider = "memory", waitTime = 0)
		@Retryable(maxRetries = 3, delay = 1)
		public CompletableFuture<String> async() {
			retried();
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@MyLock(name = "fallback", lockProvider = "memory", waitTime = 0, fallback = "instead")
		public Object withFallback() {
			return Mono.just("run");
		}

		Object instead() {
			return "instead";
		}

		@MyLock(name = "minHold", lockProvider = "memory", waitTime = 0, minHold = 600)
		public Object minHeld() {
			return Mono.fromCallable(this::note);
		}

		@MyLock(name = "cached", lockProvider = "memory", waitTime = 0)
		@Cacheable("values")
		public String cached(String key) {
			note();
			return key + this.locked.size();
		}

		@MyLock(name = "object", lockProvider = "memory", waitTime = 0)
		public Object object() {
			note();
			return Mono.fromCallable(() -> {
				note();
				return "mono";
			});
		}

		@MyLock(name = "generic", lockProvider = "memory", waitTime = 0)
		public <T> T generic(T publisher) {
			return publisher;
		}

		@MyLock(name = "skipping", lockProvider = "memory", lockStrategy = MyLockStrategy.SKIP_FAST, waitTime = 0)
		public Object skipping() {
			return Mono.just("run");
		}

		@MyLock(name = "named", lockProvider = "memory", waitTime = 0)
		public Named named() {
			return new NamedPublisher();
		}

		boolean note() {
			boolean held = !this.locks.held().isEmpty();
			this.locked.add(held);
			return held;
		}

	}

	interface Named {

	}

	static class NamedPublisher implements Named, Publisher<String> {

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			Mono.just("named").subscribe(subscriber);
		}

	}

}
