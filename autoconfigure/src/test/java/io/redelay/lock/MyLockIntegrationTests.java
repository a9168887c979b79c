package io.redelay.lock;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

/**
 * Tests for what {@link MyLock @MyLock} does with each of its attributes.
 */
class MyLockIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static LockApplication application;

	private static Work work;

	private final String name = LockApplication.name();

	@BeforeAll
	static void start() {
		application = LockApplication.start(redis.client(), Work.class, Typed.class, Coded.class, Handlers.class);
		work = application.bean(Work.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void holdsTheLockWhileTheMethodRunsAndNotAfter() {
		assertThat(work.call(this.name, () -> application.isFree(this.name))).isEqualTo(false);
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void releasesWhenTheMethodThrowsAndKeepsItsException() {
		IllegalArgumentException failure = new IllegalArgumentException("own");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> work.call(this.name, () -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void oneAtATime() {
		Sale sale = new Sale(redis.client(), this.name);
		assertThat(all(IntStream.range(0, 8).mapToObj((i) -> async(() -> {
			for (int round = 0; round < 20; round++) {
				work.keepTrying(this.name, sale::sell);
			}
			return "done";
		})))).succeedsWithin(Duration.ofMinutes(1));
		assertThat(sale.sold()).isEqualTo(160);
	}

	@Test
	void failsAfterTheWaitTime() {
		Runnable release = application.hold(this.name);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.call(this.name, () -> "run"))
			.withMessageContaining(this.name)
			.satisfies((ex) -> assertThat(ex.getNames()).containsExactly(this.name));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(190),
				Duration.ofMinutes(1));
		release.run();
	}

	@Test
	void waitsUntilTheOtherReleases() {
		Runnable release = application.hold(this.name);
		CompletableFuture<Object> waiting = async(() -> {
			work.keepTrying(this.name, () -> {
			});
			return "done";
		});
		await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
		release.run();
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("done");
	}

	@Test
	void failsFast() {
		Runnable release = application.hold(this.name);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.failFast(this.name))
			.withMessage("Busy with " + this.name);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
		release.run();
		assertThat(work.failFast(this.name)).isEqualTo("run");
	}

	@Test
	void messageThatCannotBeMadeDoesNotReplaceTheException() {
		Runnable release = application.hold(this.name);
		for (Throwable failure : List.of(new IllegalStateException("own"), new AssertionError("own"))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> work.failWithMessage(this.name, new Failing(failure)))
				.withMessage("Busy with #{body.toString()} and #{body}");
		}
		release.run();
	}

	@Test
	void skipsWithWhatFitsTheReturnType() {
		Runnable release = application.hold(this.name);
		AtomicInteger runs = new AtomicInteger();
		work.skipVoid(this.name, runs);
		assertThat(work.skipObject(this.name, runs)).isNull();
		assertThat(work.skipOptional(this.name, runs)).isEmpty();
		assertThat(work.skipOptionalInt(this.name, runs)).isEmpty();
		assertThat(work.skipFuture(this.name, runs)).isCompletedWithValue(null);
		assertThat(work.skipStage(this.name, runs).toCompletableFuture()).isCompletedWithValue(null);
		assertThat(work.skipMono(this.name, runs).blockOptional()).isEmpty();
		assertThat(work.skipFlux(this.name, runs).collectList().block()).isEmpty();
		assertThat(work.skipAfterTimeout(this.name, runs)).isNull();
		assertThat(runs).hasValue(0);
		release.run();
		work.skipVoid(this.name, runs);
		assertThat(work.skipObject(this.name, runs)).isEqualTo("run");
		assertThat(work.skipOptional(this.name, runs)).contains("run");
		assertThat(work.skipFuture(this.name, runs)).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("run");
		assertThat(work.skipMono(this.name, runs).block()).isEqualTo("run");
		assertThat(runs).hasValue(5);
	}

	@Test
	void callsTheFallbackOrTheHandlerInstead() {
		Runnable release = application.hold(this.name);
		assertThat(work.withFallback(this.name)).isEqualTo("fallback " + this.name);
		assertThat(work.primitiveWithHandler(this.name)).isEqualTo(42);
		release.run();
		assertThat(work.withFallback(this.name)).isEqualTo("run");
		assertThat(work.primitiveWithHandler(this.name)).isEqualTo(1);
	}

	@Test
	void runsWithoutALockIfTheConditionDoesNotHold() {
		Runnable release = application.hold(this.name);
		assertThat(work.conditional(this.name, 5)).isEqualTo("run");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.conditional(this.name, 50));
		release.run();
	}

	@Test
	void takesAllLocksOrNone() {
		String other = LockApplication.name();
		Runnable release = application.hold(other);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.both(this.name, other, null));
		assertThat(application.isFree(this.name)).isTrue();
		release.run();
		work.both(this.name, other, () -> {
			assertThat(application.isFree(this.name)).isFalse();
			assertThat(application.isFree(other)).isFalse();
		});
		assertThat(application.isFree(this.name)).isTrue();
		assertThat(application.isFree(other)).isTrue();
	}

	@Test
	void takesSeveralLocksInWhateverOrderWithoutDeadlock() {
		String other = LockApplication.name();
		assertThat(all(IntStream.range(0, 40).mapToObj((i) -> async(() -> {
			work.bothKeepTrying((i % 2 == 0) ? this.name : other, (i % 2 == 0) ? other : this.name);
			return "done";
		})))).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void entersAgainOnTheSameThreadWithoutShorteningTheLease() {
		work.longLease(this.name, () -> {
			work.shortLease(this.name,
					() -> assertThat(application.lock(this.name).remainTimeToLive()).isGreaterThan(20_000));
			assertThat(application.lock(this.name).remainTimeToLive()).isGreaterThan(20_000);
			assertThat(application.isFree(this.name)).isFalse();
		});
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void readersShareAndWritersDoNot() {
		CompletableFuture<Object> result = new CompletableFuture<>();
		work.read(this.name, () -> {
			async(() -> {
				work.read(this.name, () -> {
				});
				return "shared";
			}).thenAccept(result::complete).join();
			CompletableFuture<Object> writing = async(() -> {
				work.write(this.name, () -> {
				});
				return "wrote";
			});
			assertThat(writing).failsWithin(Duration.ofMinutes(1));
		});
		assertThat(result).isCompletedWithValue("shared");
		work.write(this.name, () -> assertThat(async(() -> {
			work.read(this.name, () -> {
			});
			return "read";
		})).failsWithin(Duration.ofMinutes(1)));
		assertThat(application.readLock(this.name).isLocked()).isFalse();
	}

	@Test
	void writerMayReadAndReaderMayNotWrite() {
		work.write(this.name, () -> work.read(this.name, () -> {
		}));
		work.read(this.name,
				() -> assertThatExceptionOfType(LockException.class).isThrownBy(() -> work.write(this.name, () -> {
				})).withMessageContaining("under the read lock").isNotInstanceOf(LockNotAcquiredException.class));
	}

	@Test
	void exclusiveAndReadWriteLocksDoNotMeet() {
		Runnable release = application.hold(this.name);
		work.write(this.name, () -> {
			assertThat(redis.client().getMap("redelay:rwlock:{" + this.name + "}").size()).isGreaterThan(1);
			assertThat(redis.client().getMap("redelay:lock:{" + this.name + "}").size()).isOne();
		});
		assertThat(application.isFree(this.name)).isFalse();
		release.run();
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void fencedLockGivesTokensThatRise() {
		long first = work.fenced(this.name);
		assertThat(work.fenced(this.name)).isGreaterThan(first);
		assertThatIllegalStateException().isThrownBy(LockContext::currentToken);
		assertThatIllegalStateException().isThrownBy(() -> work.call(this.name, LockContext::currentToken))
			.withMessageContaining("fencedLockProvider");
	}

	@Test
	void futureHoldsTheLockUntilItCompletes() {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<String> result = work.future(this.name, body);
		assertThat(application.isFree(this.name)).isFalse();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.failFast(this.name));
		body.complete("value");
		assertThat(result).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("value");
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void futureThatFailsOrIsCancelledReleases() {
		CompletableFuture<String> failing = new CompletableFuture<>();
		CompletableFuture<String> result = work.future(this.name, failing);
		IllegalStateException failure = new IllegalStateException("own");
		failing.completeExceptionally(failure);
		assertThat(result).failsWithin(Duration.ofMinutes(1)).withThrowableThat().withCause(failure);
		await().until(() -> application.isFree(this.name));
		CompletableFuture<String> body = new CompletableFuture<>();
		work.future(this.name, body).cancel(true);
		assertThat(body).isCancelled();
		await().until(() -> application.isFree(this.name));
	}

	@Test
	void whatFollowsAFutureRunsOnNoThreadOfTheClient() {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<String> thread = work.future(this.name, body).thenApply((v) -> threadName());
		async(() -> body.complete("value"));
		assertThat(thread).succeedsWithin(Duration.ofMinutes(1)).asString().doesNotContain("redisson");
	}

	@Test
	void publisherTakesTheLockWhenSubscribedAndHoldsItUntilItEnds() {
		Sinks.One<String> sink = Sinks.one();
		AtomicInteger calls = new AtomicInteger();
		Mono<String> mono = work.mono(this.name, sink.asMono(), calls);
		assertThat(application.isFree(this.name)).isTrue();
		assertThat(calls).hasValue(0);
		CompletableFuture<String> result = mono.toFuture();
		await().untilAtomic(calls, is(1));
		assertThat(application.isFree(this.name)).isFalse();
		assertThat(mono.toFuture()).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		sink.tryEmitValue("value");
		assertThat(result).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("value");
		assertThat(application.isFree(this.name)).isTrue();
		assertThat(mono.block()).isEqualTo("value");
		assertThat(calls).hasValue(2);
	}

	@Test
	void cancelledPublisherReleases() {
		AtomicInteger calls = new AtomicInteger();
		Disposable subscription = work.flux(this.name, Flux.never(), calls).subscribe();
		await().untilAtomic(calls, is(1));
		subscription.dispose();
		await().until(() -> eventTypes(this.name).contains(LockEvent.Type.RELEASED));
		assertThat(application.isFree(this.name)).isTrue();
		Runnable release = application.hold(this.name);
		Disposable waiting = work.flux(this.name, Flux.just("x"), calls).subscribe();
		waiting.dispose();
		release.run();
		await().during(Duration.ofMillis(500)).until(() -> application.isFree(this.name));
		await().untilAsserted(() -> assertThat(eventTypes(this.name)).containsExactly(LockEvent.Type.ACQUIRED,
				LockEvent.Type.RELEASED, LockEvent.Type.INTERRUPTED));
		assertThat(calls).hasValue(1);
	}

	@Test
	void publisherRunsOnNoThreadOfTheClient() {
		List<String> threads = work.flux(this.name, Flux.defer(() -> Flux.just(threadName())), new AtomicInteger())
			.concatWith(Mono.fromSupplier(MyLockIntegrationTests::threadName))
			.collectList()
			.block();
		assertThat(threads).hasSize(2).allSatisfy((thread) -> assertThat(thread).doesNotContain("redisson"));
	}

	@Test
	void publisherEntersAgainUnderItself() {
		String value = work
			.flux(this.name, Flux.defer(() -> work.flux(this.name, Flux.just("inner"), new AtomicInteger())),
					new AtomicInteger())
			.blockLast(Duration.ofMinutes(1));
		assertThat(value).isEqualTo("inner");
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	void annotationOnATypeAnInterfaceAndAnotherAnnotation() {
		Typed typed = application.bean(Typed.class);
		assertThat(typed.locked(this.name, () -> application.isFree(this.name))).isFalse();
		Coded coded = application.bean(Coded.class);
		assertThat(coded.generic(this.name, () -> application.isFree(this.name))).isFalse();
		assertThat(coded.meta(this.name, () -> application.isFree("meta:" + this.name))).isFalse();
	}

	@Test
	void templateDoesTheSameByHand() throws Exception {
		LockTemplate template = application.template();
		assertThat(template.<Boolean, RuntimeException>execute(LockSpec.of(this.name),
				() -> application.isFree(this.name)))
			.isFalse();
		Runnable release = application.hold(this.name);
		assertThat(template.<String, RuntimeException>execute(
				LockSpec.of(this.name).withStrategy(MyLockStrategy.SKIP_FAST), () -> "run"))
			.isNull();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> template
			.<String, Exception>execute(LockSpec.of(this.name).withWaitTime(Duration.ofMillis(50)), () -> "run"));
		release.run();
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> template.<String, IOException>execute(LockSpec.of(this.name), () -> {
				throw new IOException("own");
			}));
	}

	private static CompletableFuture<Void> all(Stream<CompletableFuture<Object>> each) {
		return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
	}

	private static List<LockEvent.Type> eventTypes(String name) {
		return application.events()
			.stream()
			.filter((event) -> event.names().contains(name))
			.map(LockEvent::type)
			.toList();
	}

	private static String threadName() {
		return Thread.currentThread().getName();
	}

	private static CompletableFuture<Object> async(Supplier<Object> action) {
		return CompletableFuture.supplyAsync(action, (task) -> new Thread(task).start());
	}

	/**
	 * Has no text.
	 */
	static class Failing {

		private final Throwable failure;

		Failing(Throwable failure) {
			this.failure = failure;
		}

		@Override
		public String toString() {
			if (this.failure instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) this.failure;
		}

	}

	static class Work {

		@MyLock(name = "#{name}", waitTime = 200, unit = TimeUnit.MILLISECONDS)
		Object call(String name, Supplier<Object> body) {
			return body.get();
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.KEEP_TRYING, waitTime = 0)
		void keepTrying(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{#name}", waitTime = 20, lockStrategy = MyLockStrategy.FAIL_FAST,
				message = "Busy with #{name}")
		Object failFast(String name) {
			return "run";
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.FAIL_FAST,
				message = "Busy with #{body.toString()} and #{body}")
		Object failWithMessage(String name, Failing body) {
			return "run";
		}

		@MyLock(name = "#{#p0}", lockStrategy = MyLockStrategy.SKIP_FAST)
		void skipVoid(String name, AtomicInteger runs) {
			runs.incrementAndGet();
		}

		@MyLock(name = "#{#a0}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Object skipObject(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return "run";
		}

		@MyLock(name = "#{args[0]}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Optional<String> skipOptional(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return Optional.of("run");
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		OptionalInt skipOptionalInt(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return OptionalInt.of(1);
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		CompletableFuture<String> skipFuture(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return CompletableFuture.completedFuture("run");
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		CompletionStage<String> skipStage(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return CompletableFuture.completedFuture("run");
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Mono<String> skipMono(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return Mono.just("run");
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Flux<String> skipFlux(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return Flux.just("run");
		}

		@MyLock(name = "#{name}", waitTime = 50, unit = TimeUnit.MILLISECONDS,
				lockStrategy = MyLockStrategy.SKIP_AFTER_RETRY_TIMEOUT)
		Object skipAfterTimeout(String name, AtomicInteger runs) {
			runs.incrementAndGet();
			return "run";
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.FAIL_FAST, fallback = "instead")
		String withFallback(String name) {
			return "run";
		}

		@SuppressWarnings("unused") // named by the annotation
		private String instead(String name) {
			return "fallback " + name;
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST, failureHandler = "answering")
		int primitiveWithHandler(String name) {
			return 1;
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.FAIL_FAST, condition = "#{amount > 10}")
		String conditional(String name, int amount) {
			return "run";
		}

		@MyLock(name = { "#{one}", "#{two}" }, lockStrategy = MyLockStrategy.FAIL_FAST)
		void both(String one, String two, Runnable body) {
			body.run();
		}

		@MyLock(name = { "#{one}", "#{two}" }, lockStrategy = MyLockStrategy.KEEP_TRYING)
		void bothKeepTrying(String one, String two) {
		}

		@MyLock(name = "#{name}", leaseTime = 30)
		void longLease(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", leaseTime = 1)
		void shortLease(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockType = MyLockType.READ_LOCK)
		void read(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockType = MyLockType.WRITE_LOCK)
		void write(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockProvider = "fencedLockProvider")
		long fenced(String name) {
			return LockContext.currentToken();
		}

		@MyLock(name = "#{name}")
		CompletableFuture<String> future(String name, CompletableFuture<String> body) {
			return body;
		}

		@MyLock(name = "#{name}", waitTime = 50, unit = TimeUnit.MILLISECONDS)
		Mono<String> mono(String name, Mono<String> body, AtomicInteger calls) {
			calls.incrementAndGet();
			return body;
		}

		@MyLock(name = "#{name}", waitTime = 30)
		Flux<String> flux(String name, Flux<String> body, AtomicInteger calls) {
			calls.incrementAndGet();
			return body;
		}

	}

	@MyLock("#{name}")
	static class Typed {

		public Boolean locked(String name, Supplier<Boolean> body) {
			return body.get();
		}

	}

	interface Generic<T> {

		@MyLock("#{key}")
		Boolean generic(T key, Supplier<Boolean> body);

	}

	@Retention(RetentionPolicy.RUNTIME)
	@MyLock
	@interface Guarded {

		@AliasFor(annotation = MyLock.class, attribute = "name")
		String[] on();

	}

	static class Coded implements Generic<String> {

		@Override
		public Boolean generic(String other, Supplier<Boolean> body) {
			return body.get();
		}

		@Guarded(on = "meta:#{name}")
		Boolean meta(String name, Supplier<Boolean> body) {
			return body.get();
		}

	}

	static class Handlers {

		@Bean
		static LockFailureHandler answering() {
			return (failure) -> 42;
		}

	}

}
