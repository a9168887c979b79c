package io.redelay.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MyLock @MyLock} in reactive transactions.
 */
class MyLockReactiveTransactionIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	private LockApplication application;

	private Work work;

	private Transactions transactions;

	private TransactionalOperator operator;

	@BeforeEach
	void start() {
		this.application = LockApplication.start(redis.client(), Beans.class);
		this.work = this.application.bean(Work.class);
		this.transactions = this.application.bean(Transactions.class);
		this.transactions.free = () -> this.application.isFree(this.name);
		this.operator = TransactionalOperator.create(this.transactions);
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	void lockIsKeptUntilTheTransactionAroundHasCommitted() {
		assertThat(this.work.mono(this.name).as(this.operator::transactional).block(LONG)).isEqualTo("done");
		assertThat(this.transactions.ends).containsExactly("commit, free: false");
		await().until(() -> this.application.isFree(this.name));
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	void lockIsKeptUntilTheTransactionAroundHasRolledBack() {
		Mono<String> failing = this.work.mono(this.name)
			.then(Mono.<String>error(new IllegalStateException("own")))
			.as(this.operator::transactional);
		assertThat(failing.onErrorResume((ex) -> Mono.just(ex.getMessage())).block(LONG)).isEqualTo("own");
		assertThat(this.transactions.ends).containsExactly("rollback, free: false");
		await().until(() -> this.application.isFree(this.name));
	}

	@Test
	void lockOfAMethodThatFailedIsKeptToo() {
		Mono<String> failing = this.work.failing(this.name).as(this.operator::transactional);
		assertThat(failing.onErrorResume((ex) -> Mono.just(ex.getMessage())).block(LONG)).isEqualTo("own");
		assertThat(this.transactions.ends).containsExactly("rollback, free: false");
		await().until(() -> this.application.isFree(this.name));
	}

	@Test
	void lockThatTheTransactionHoldsIsEnteredAgain() {
		Flux<String> twice = this.work.mono(this.name).concatWith(this.work.flux(this.name));
		assertThat(this.operator.transactional(twice).collectList().block(LONG)).containsExactly("done", "a", "b");
		assertThat(this.transactions.ends).containsExactly("commit, free: false");
		await().until(() -> this.application.isFree(this.name));
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	void nextTransactionTakesTheLockAnew() {
		for (int i = 0; i < 2; i++) {
			this.work.mono(this.name).as(this.operator::transactional).block(LONG);
		}
		assertThat(this.transactions.ends).containsExactly("commit, free: false", "commit, free: false");
		await().until(() -> this.application.eventTypes()
			.equals(List.of(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED, LockEvent.Type.ACQUIRED,
					LockEvent.Type.RELEASED)));
	}

	@Test
	void lockOfACancelledSubscriptionIsFreeAfterTheRollback() {
		AtomicBoolean called = new AtomicBoolean();
		Disposable subscription = this.work.never(this.name, called).as(this.operator::transactional).subscribe();
		await().untilTrue(called);
		subscription.dispose();
		await().until(() -> this.application.isFree(this.name));
		await().until(() -> this.transactions.ends.equals(List.of("rollback, free: false")));
	}

	/**
	 * It is cancelled while the method is called: Reactor hands the cancellation over to
	 * the thread that calls it.
	 */
	@ParameterizedTest
	@EnumSource
	void eachKindOfLockIsFreeAfterACancellationDuringTheCall(LockKind kind) {
		BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {
		};
		new LockedPublishers(this.application.template()).<Object>lock(() -> kind.spec(this.name), () -> {
			subscriber.dispose();
			return Flux.never();
		}, (failure, delivering) -> Flux.error(failure)).as(this.operator::transactional).subscribe(subscriber);
		await().until(
				() -> this.application.eventTypes().equals(List.of(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED)));
		assertThat(redis.client().getKeys().countExists(kind.key(this.name))).isZero();
	}

	@Test
	void transactionOfTheMethodItselfCommitsBeforeTheLockIsReleased() {
		assertThat(this.work.transactional(this.name).block(LONG)).isEqualTo("done");
		assertThat(this.transactions.ends).containsExactly("commit, free: false");
		assertThat(this.application.isFree(this.name)).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Beans {

		@Bean
		Transactions transactions() {
			return new Transactions();
		}

		@Bean
		Work work() {
			return new Work();
		}

	}

	static class Work {

		@MyLock("#{name}")
		public Mono<String> mono(String name) {
			return Mono.just("done");
		}

		@MyLock("#{name}")
		public Flux<String> flux(String name) {
			return Flux.just("a", "b");
		}

		@MyLock("#{name}")
		public Mono<String> failing(String name) {
			return Mono.error(new IllegalStateException("own"));
		}

		@MyLock("#{name}")
		public Mono<String> never(String name, AtomicBoolean called) {
			called.set(true);
			return Mono.never();
		}

		@MyLock("#{name}")
		@Transactional
		public Mono<String> transactional(String name) {
			return Mono.just("done");
		}

	}

	/**
	 * Transactions without anything to write.
	 */
	@SuppressWarnings("serial")
	static class Transactions extends AbstractReactiveTransactionManager implements ReactiveTransactionManager {

		private final List<String> ends = new CopyOnWriteArrayList<>();

		private volatile BooleanSupplier free;

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizationManager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizationManager, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizationManager,
				GenericReactiveTransaction status) {
			return end("commit");
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizationManager,
				GenericReactiveTransaction status) {
			return end("rollback");
		}

		private Mono<Void> end(String how) {
			return Mono.fromRunnable(() -> this.ends.add(how + ", free: " + this.free.getAsBoolean()));
		}

	}

}
