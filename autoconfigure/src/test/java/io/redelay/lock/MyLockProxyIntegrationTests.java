package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MyLock @MyLock} beside other advice, through both kinds of proxies.
 */
class MyLockProxyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	private LockApplication application;

	@AfterEach
	void stop() {
		this.application.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksThroughBothKindsOfProxies(boolean targetClass) {
		Work work = start(targetClass);
		assertThat(AopUtils.isCglibProxy(work)).isEqualTo(targetClass);
		assertThat(work.locked(this.name, () -> isFree())).isFalse();
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void transactionCommitsBeforeTheLockIsReleased(boolean targetClass) {
		List<Boolean> freeAtCommit = new ArrayList<>();
		start(targetClass).transactional(this.name, () -> {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					freeAtCommit.add(isFree());
				}

			});
			return true;
		});
		assertThat(freeAtCommit).containsExactly(false);
		assertThat(isFree()).isTrue();
	}

	@Test
	void releaseWaitsForTheTransactionAround() {
		Work work = start(true);
		new TransactionTemplate(this.application.bean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				work.locked(this.name, () -> true);
				assertThat(isFree()).isFalse();
				assertThat(work.locked(this.name, () -> true)).isTrue();
				status.setRollbackOnly();
			});
		assertThat(isFree()).isTrue();
		assertThat(LockContext.current()).isNull();
	}

	@Test
	void releaseOfAFutureWaitsForTheTransactionAround() {
		Work work = start(true);
		new TransactionTemplate(this.application.bean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				assertThat(work.future(this.name).join()).isEqualTo("done");
				assertThat(isFree()).isFalse();
			});
		await().until(this::isFree);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asyncMethodTakesTheLockOnTheThreadThatRuns(boolean targetClass) {
		Work work = start(targetClass);
		Runnable release = this.application.hold(this.name);
		CompletableFuture<String> result = work.async(this.name);
		await().during(Duration.ofMillis(200)).until(() -> !result.isDone());
		release.run();
		assertThat(result).succeedsWithin(Duration.ofMinutes(1)).asString().startsWith("false");
		assertThat(isFree()).isTrue();
	}

	private boolean isFree() {
		return this.application.isFree(this.name);
	}

	private Work start(boolean targetClass) {
		Class<?> configuration = targetClass ? ClassProxies.class : InterfaceProxies.class;
		this.application = LockApplication.start(redis.client(),
				(context) -> TestPropertyValues.of("spring.aop.proxy-target-class=" + targetClass).applyTo(context),
				configuration);
		this.application.bean(Probe.class).free = this::isFree;
		return this.application.bean(Work.class);
	}

	interface Work {

		Boolean locked(String name, Supplier<Boolean> body);

		Boolean transactional(String name, Supplier<Boolean> body);

		CompletableFuture<String> future(String name);

		CompletableFuture<String> async(String name);

	}

	static class DefaultWork implements Work {

		private final Probe probe;

		DefaultWork(Probe probe) {
			this.probe = probe;
		}

		@Override
		@MyLock("#{name}")
		public Boolean locked(String name, Supplier<Boolean> body) {
			return body.get();
		}

		@Override
		@Transactional
		@MyLock("#{name}")
		public Boolean transactional(String name, Supplier<Boolean> body) {
			return body.get();
		}

		@Override
		@MyLock("#{name}")
		public CompletableFuture<String> future(String name) {
			return CompletableFuture.completedFuture("done");
		}

		@Override
		@Async
		@MyLock(name = "#{name}", waitTime = 10)
		public CompletableFuture<String> async(String name) {
			return CompletableFuture.completedFuture(this.probe.free.get() + " on " + Thread.currentThread().getName());
		}

	}

	static class Probe {

		private volatile Supplier<Boolean> free = () -> null;

	}

	static class Common {

		@Bean
		Probe probe() {
			return new Probe();
		}

		@Bean
		Work work(Probe probe) {
			return new DefaultWork(probe);
		}

		@Bean
		PlatformTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:lock-proxies"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class ClassProxies extends Common {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableTransactionManagement
	static class InterfaceProxies extends Common {

	}

}
