package io.redelay.lock;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.lock.annotation.InvalidMyLockException;
import io.redelay.test.MemoryLocks;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link MyLock @MyLock} on interfaces that no class of the application
 * implements: Spring Data repositories, and what else stands behind a proxy.
 */
class MyLockInterfaceProxyTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final List<Boolean> inTransaction = new CopyOnWriteArrayList<>();

	@Test
	void queryMethodOfARepository() {
		repository(Coupons.class, (coupons) -> {
			assertThat(coupons.countByName("a")).isZero();
			coupons.save(new Coupon(null, "a"));
			assertThat(coupons.countByName("a")).isEqualTo(1);
		});
		assertThat(this.locks.keys()).containsExactly(key("count:a"), key("count:a"));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void methodThatARepositoryDeclaresAgainForEachCaller() {
		repository(Coupons.class, (coupons) -> {
			Coupon saved = coupons.save(new Coupon(null, "a"));
			coupons.deleteById(saved.id());
			((CrudRepository<Coupon, Long>) coupons).deleteById(saved.id());
		});
		assertThat(this.locks.keys()).hasSize(2).allMatch((key) -> key.startsWith("redelay:memory:{delete:"));
	}

	@Test
	void lockOfARepositoryIsOutsideOfItsTransaction() {
		this.locks.onRelease((key) -> {
			this.inTransaction.add(TransactionSynchronizationManager.isActualTransactionActive());
			return CompletableFuture.completedFuture(true);
		});
		repository(Coupons.class, (coupons) -> coupons.deleteById(1L));
		assertThat(this.inTransaction).containsExactly(false);
	}

	@Test
	void annotationOnARepositoryIsForAllItsMethods() {
		repository(LockedCoupons.class, (coupons) -> {
			coupons.save(new Coupon(null, "a"));
			assertThat(coupons.findByName("a")).isPresent();
		});
		assertThat(this.locks.keys()).containsExactly(key("coupons"), key("coupons"));
	}

	@Test
	void fallbackAndTargetAreTheRepository() {
		this.locks.hold(key("find:a"));
		repository(Coupons.class, (coupons) -> assertThat(coupons.findByName("a")).contains(new Coupon(7L, "a")));
	}

	@Test
	void annotationOfARepositoryThatCannotWorkIsRefused() {
		runner(InvalidCoupons.class).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidMyLockException.class)
			.hasMessageContaining(InvalidCoupons.class.getName() + ".countByName")
			.hasMessageContaining("'nobody'"));
	}

	@Test
	void proxyWithoutATarget() {
		MethodInterceptor answer = (invocation) -> "answer";
		service(() -> ProxyFactory.getProxy(Service.class, answer));
	}

	@Test
	void proxyWhoseTargetIsSomethingElse() {
		service(() -> {
			ProxyFactory factory = new ProxyFactory();
			factory.setTarget("something else");
			factory.setInterfaces(Service.class);
			factory.addAdvice((MethodInterceptor) (invocation) -> "answer");
			return (Service) factory.getProxy();
		});
	}

	@Test
	void plainProxyOfTheJdk() {
		service(() -> (Service) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Service.class },
				(proxy, method, args) -> "answer"));
	}

	@Test
	void lambda() {
		service(() -> (id) -> "answer");
	}

	private void service(Supplier<Service> service) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean(Service.class, service)
			.run((context) -> assertThat(context.getBean(Service.class).call("7")).isEqualTo("answer"));
		assertThat(this.locks.keys()).containsExactly(key("call:7"));
	}

	private <T> void repository(Class<T> type, Consumer<T> test) {
		runner(type).run((context) -> {
			context.getBean(JdbcTemplate.class)
				.execute("create table if not exists coupon (id identity primary key, name varchar(20))");
			test.accept(context.getBean(type));
		});
	}

	private ApplicationContextRunner runner(Class<?> type) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, DataSourceAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
					TransactionAutoConfiguration.class, DataJdbcRepositoriesAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean("user", User.class)
			.withUserConfiguration((type == Coupons.class) ? OfCoupons.class
					: (type == LockedCoupons.class) ? OfLockedCoupons.class : OfInvalidCoupons.class);
	}

	private static String key(String name) {
		return "redelay:memory:{" + name + "}";
	}

	record Coupon(@Id Long id, String name) {
	}

	interface Service {

		@MyLock(name = "call:#{id}", lockProvider = "memory", waitTime = 0)
		String call(String id);

	}

	interface Coupons extends CrudRepository<Coupon, Long> {

		@MyLock(name = "count:#{name}", lockProvider = "memory", waitTime = 0)
		long countByName(String name);

		@Override
		@MyLock(name = "delete:#{id}", lockProvider = "memory", waitTime = 0)
		void deleteById(Long id);

		@MyLock(name = "find:#{name}", lockProvider = "memory", waitTime = 0, fallback = "other")
		Optional<Coupon> findByName(String name);

		default Optional<Coupon> other(String name) {
			return Optional.of(new Coupon(7L, name));
		}

	}

	@MyLock(name = "coupons", lockProvider = "memory", waitTime = 0)
	interface LockedCoupons extends CrudRepository<Coupon, Long> {

		Optional<Coupon> findByName(String name);

	}

	interface InvalidCoupons extends CrudRepository<Coupon, Long> {

		@MyLock(name = "x", lockProvider = "nobody")
		long countByName(String name);

	}

	static class User {

		User(List<CrudRepository<?, ?>> repositories) {
		}

	}

	@AutoConfigurationPackage
	@EnableJdbcRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Coupons.class),
			basePackageClasses = MyLockInterfaceProxyTests.class)
	static class OfCoupons {

	}

	@AutoConfigurationPackage
	@EnableJdbcRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = LockedCoupons.class),
			basePackageClasses = MyLockInterfaceProxyTests.class)
	static class OfLockedCoupons {

	}

	@AutoConfigurationPackage
	@EnableJdbcRepositories(considerNestedRepositories = true,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = InvalidCoupons.class),
			basePackageClasses = MyLockInterfaceProxyTests.class)
	static class OfInvalidCoupons {

	}

}
