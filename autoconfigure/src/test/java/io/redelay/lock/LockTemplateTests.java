package io.redelay.lock;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.redelay.test.MemoryLocks;
import io.redelay.test.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate} with several names, and with locks that misbehave.
 */
class LockTemplateTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final LockThreads threads = LockThreads.platform();

	private final LockTemplate template = template(this.events::add);

	@AfterEach
	void stop() {
		this.threads.close();
	}

	@Test
	void eachLockIsReleasedThoughAnotherFailed() {
		List<String> released = new CopyOnWriteArrayList<>();
		this.locks.onRelease((key) -> {
			released.add(key);
			if (key.contains("b")) {
				throw new IllegalStateException("thrown");
			}
			return key.contains("c") ? CompletableFuture.failedFuture(new IllegalStateException("failed"))
					: CompletableFuture.completedFuture(true);
		});
		assertThat(run("a", "b", "c", "d")).isEqualTo("run");
		assertThat(released).containsExactlyInAnyOrder(key("a"), key("b"), key("c"), key("d"));
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASE_FAILED);
	}

	@Test
	void locksAreTakenInOneOrderAndEachOnce() {
		run("c", "a", "c", "b");
		assertThat(this.locks.keys()).containsExactly(key("a"), key("b"), key("c"));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void noneIsKeptIfOneIsBusy() {
		this.locks.hold(key("c"));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> run("a", "b", "c", "d"))
			.satisfies((ex) -> assertThat(ex.getNames()).containsExactly("a", "b", "c", "d"));
		assertThat(this.locks.held()).containsExactly(key("c"));
		assertThat(this.locks.keys()).containsExactly(key("a"), key("b"), key("c"));
	}

	@Test
	void whatIsHeldIsEnteredAgainAndOnlyTheRestIsTaken() {
		this.template.<String, RuntimeException>execute(spec("b"), () -> {
			run("a", "b");
			assertThat(this.locks.held()).containsExactly(key("b"));
			return "";
		});
		assertThat(this.locks.keys()).containsExactly(key("b"), key("a"));
		assertThat(this.locks.held()).isEmpty();
	}

	/**
	 * The interruption comes with the grant: the code runs, and sees it.
	 */
	@Test
	void lockOfAThreadThatIsInterruptedAtTheGrantIsReleased() {
		LockTemplate template = template((event) -> {
			this.events.add(event);
			if (event.type() == LockEvent.Type.ACQUIRED) {
				Thread.currentThread().interrupt();
			}
		});
		assertThat(template.<Boolean, RuntimeException>execute(spec("a"), () -> Thread.interrupted())).isTrue();
		assertThat(this.locks.held()).isEmpty();
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	/**
	 * The future was cancelled before the lock could follow it.
	 */
	@Test
	void lockOfAFutureThatIsCancelledWithinTheCodeIsReleased() {
		CompletableFuture<String> future = new CompletableFuture<>();
		this.template.<CompletableFuture<String>, RuntimeException>execute(spec("a"), () -> {
			future.cancel(true);
			return future;
		});
		await().until(() -> types().equals(List.of(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED)));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void bodysExceptionIsNotReplacedByAFailedRelease() {
		this.locks.onRelease((key) -> CompletableFuture.failedFuture(new IllegalStateException("failed")));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.template.<String, RuntimeException>execute(spec("a"), () -> {
				throw new IllegalArgumentException("own");
			}))
			.withMessage("own")
			.withNoCause();
	}

	@Test
	void otherwiseDecidesWhateverTheStrategy() {
		this.locks.hold(key("a"));
		for (MyLockStrategy strategy : MyLockStrategy.values()) {
			assertThat(this.template.<String, RuntimeException>execute(spec("a").withStrategy(strategy), () -> "run",
					(ex) -> "instead of " + ex.getNames()))
				.isEqualTo("instead of [a]");
		}
	}

	@Test
	void providerThatIsNotThereIsNamed() {
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.template.<String, RuntimeException>execute(LockSpec.of("a").withProvider("nobody"),
					() -> "run"))
			.withMessageContaining("nobody")
			.isNotInstanceOf(LockNotAcquiredException.class);
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void listenerThatThrowsChangesNothing(Throwable thrown) {
		AtomicInteger reported = new AtomicInteger();
		LockTemplate template = template((event) -> {
			reported.incrementAndGet();
			sneak(thrown);
		});
		assertThat(template.<String, RuntimeException>execute(spec("a"), () -> "run")).isEqualTo("run");
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> template.<String, RuntimeException>execute(spec("a"), () -> {
				throw new IllegalArgumentException("own");
			}));
		assertThat(template.<CompletableFuture<String>, RuntimeException>execute(spec("a"),
				() -> CompletableFuture.completedFuture("run")))
			.succeedsWithin(Duration.ofMinutes(1))
			.isEqualTo("run");
		assertThat(publisher(template).blockLast(Duration.ofSeconds(30))).isEqualTo("run");
		assertThat(this.locks.held()).isEmpty();
		this.locks.hold(key("a"));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> template.<String, RuntimeException>execute(spec("a"), () -> "run"));
		assertThat(publisher(template).blockLast(Duration.ofSeconds(30))).isEqualTo("not locked");
		assertThat(reported).hasValue(10);
	}

	static Stream<Throwable> throwables() {
		return Stream.of(new IllegalStateException("own"), new AssertionError("own"), new IOException("own"));
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void providerThatThrowsKeepsNoLock(Throwable thrown) {
		LockProvider provider = (request) -> {
			if (request.key().equals(key("b"))) {
				sneak(thrown);
			}
			return this.locks.acquire(request);
		};
		LockTemplate template = new LockTemplate(new LockProviders(Map.of(), Map.of("memory", provider)),
				(name) -> name, TestSettings.LOCK, List.of(), this.threads);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> template.<String, RuntimeException>execute(spec("a", "b"), () -> "run"))
			.withCause(thrown);
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void whatEndsAfterTheThreadsAreClosedEndsAllTheSame() {
		this.threads.close();
		assertThat(this.template.<CompletableFuture<String>, RuntimeException>execute(spec("a"),
				() -> CompletableFuture.completedFuture("run")))
			.succeedsWithin(Duration.ofMinutes(1))
			.isEqualTo("run");
		assertThat(publisher(this.template).blockLast(Duration.ofSeconds(30))).isEqualTo("run");
		assertThat(this.locks.held()).isEmpty();
	}

	private static Flux<String> publisher(LockTemplate template) {
		return new LockedPublishers(template).lock(() -> spec("a"), () -> Mono.just("run"),
				(failure, delivering) -> Mono.just("not locked"));
	}

	private LockTemplate template(LockListener listener) {
		return new LockTemplate(new LockProviders(Map.of(), Map.of("memory", this.locks)), (name) -> name,
				TestSettings.LOCK, List.of(listener), this.threads);
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneak(Throwable thrown) throws E {
		throw (E) thrown;
	}

	@Test
	void releaseThatIsNullIsReportedWithTheNameOfTheProvider() {
		this.locks.onRelease((key) -> null);
		assertThat(run("a")).isEqualTo("run");
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASE_FAILED);
		assertThat(this.events.get(1).failure()).hasMessageContaining("null").hasMessageContaining(key("a"));
	}

	@Test
	void answerThatIsNullIsReportedWithTheNameOfTheProvider() {
		LockTemplate template = new LockTemplate(new LockProviders(Map.of(), Map.of("memory", (request) -> null)),
				(name) -> name, TestSettings.LOCK, List.of(), this.threads);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> template.<String, RuntimeException>execute(spec("a"), () -> "run"))
			.withMessageContaining("null")
			.withMessageContaining("'memory'");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "  " })
	void keyThatSaysNothingIsNoKey(String key) {
		LockTemplate template = new LockTemplate(new LockProviders(Map.of(), Map.of("memory", this.locks)),
				(name) -> key, TestSettings.LOCK, List.of(), this.threads);
		assertThatExceptionOfType(LockNameException.class)
			.isThrownBy(() -> template.<String, RuntimeException>execute(spec("a"), () -> "run"))
			.withMessageContaining("LockKeyBuilder")
			.withMessageContaining("'a'");
		assertThat(this.locks.keys()).isEmpty();
	}

	private String run(String... names) {
		return this.template.<String, RuntimeException>execute(spec(names), () -> "run");
	}

	private static LockSpec spec(String... names) {
		return LockSpec.of(names).withProvider("memory");
	}

	private static String key(String name) {
		return "redelay:memory:{" + name + "}";
	}

	private List<LockEvent.Type> types() {
		return this.events.stream().map(LockEvent::type).toList();
	}

}
