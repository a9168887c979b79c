package io.redelay.lock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.lock.LockProvider;
import io.redelay.lock.MyLock;
import io.redelay.test.MemoryLocks;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for where {@link MyLock @MyLock} is found.
 */
class MyLockAnnotationTests {

	private final MemoryLocks locks = new MemoryLocks();

	@Test
	void onTheMethodOfASuperclassThatIsInheritedOrOverridden() {
		with(Inheriting.class, (bean) -> {
			bean.inherited();
			bean.overridden();
		});
		assertLocked("inherited", "overridden");
	}

	@Test
	void onASuperclass() {
		with(OfAnnotatedClass.class, OfAnnotatedClass::own);
		assertLocked("class");
	}

	@Test
	void onATypeForItsPublicMethodsOnlyWhereTheyHaveNoneOfTheirOwn() {
		with(AnnotatedClass.class, (bean) -> {
			bean.run();
			bean.special();
			bean.internal();
		});
		assertLocked("class", "special");
	}

	@Test
	void onAMethodOfAnInterfaceWhoseParametersGiveTheNames() {
		with(Worker.class, (bean) -> bean.call("7"));
		assertLocked("call:7");
	}

	@Test
	void onADefaultMethodOfAnInterface() {
		with(Worker.class, Worker::standard);
		assertLocked("standard");
	}

	@Test
	void onAnInterface() {
		with(OfAnnotatedInterface.class, OfAnnotatedInterface::run);
		assertLocked("interface");
	}

	@Test
	void onAnInterfaceBehindAJdkProxy() {
		run((runner) -> runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(Worker.class),
				Contract.class, (bean) -> {
					assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
					bean.call("7");
					bean.standard();
				});
		assertLocked("call:7", "standard");
	}

	@Test
	void onAnotherAnnotationOfAMethodOrAType() {
		with(Guarded.class, Guarded::method);
		with(GuardedType.class, GuardedType::run);
		assertLocked("guard:method", "guard:type");
	}

	@Test
	void throughTheBridgesOfGenericMethods() {
		with(OfGenericInterface.class, (bean) -> {
			Generic<String> generic = bean;
			generic.accept("a");
		});
		with(OfGenericClass.class, (bean) -> {
			GenericClass<String> generic = bean;
			generic.accept("b");
		});
		assertLocked("generic:a", "genericClass:b");
	}

	@Test
	void onlyOnceForACall() {
		with(Twice.class, Twice::call);
		assertLocked("implementation");
	}

	private <T> void with(Class<T> type, Consumer<T> call) {
		run((runner) -> runner.withBean(type), type, call);
	}

	private <T> void run(UnaryOperator<ApplicationContextRunner> customizer, Class<T> type, Consumer<T> call) {
		customizer
			.apply(new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
				.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
				.withBean("memory", LockProvider.class, () -> this.locks))
			.run((context) -> call.accept(context.getBean(type)));
	}

	private void assertLocked(String... names) {
		assertThat(this.locks.keys()).extracting((key) -> key.replaceFirst("redelay:memory:\\{(.*)}", "$1"))
			.containsExactly(names);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@MyLock(lockProvider = "memory")
	@interface Guard {

		@AliasFor(annotation = MyLock.class, attribute = "name")
		String[] on();

	}

	static class Base {

		@MyLock(name = "inherited", lockProvider = "memory")
		void inherited() {
		}

		@MyLock(name = "overridden", lockProvider = "memory")
		void overridden() {
		}

	}

	static class Inheriting extends Base {

		@Override
		void overridden() {
		}

	}

	@MyLock(name = "class", lockProvider = "memory")
	static class AnnotatedClass {

		public void run() {
		}

		@MyLock(name = "special", lockProvider = "memory")
		public void special() {
		}

		void internal() {
		}

	}

	static class OfAnnotatedClass extends AnnotatedClass {

		public void own() {
		}

	}

	interface Contract {

		@MyLock(name = "call:#{key}", lockProvider = "memory")
		void call(String key);

		@MyLock(name = "standard", lockProvider = "memory")
		default void standard() {
		}

	}

	static class Worker implements Contract {

		@Override
		public void call(String renamed) {
		}

	}

	@MyLock(name = "interface", lockProvider = "memory")
	interface AnnotatedInterface {

		void run();

	}

	static class OfAnnotatedInterface implements AnnotatedInterface {

		@Override
		public void run() {
		}

	}

	static class Guarded {

		@Guard(on = "guard:method")
		void method() {
		}

	}

	@Guard(on = "guard:type")
	static class GuardedType {

		public void run() {
		}

	}

	interface Generic<T> {

		void accept(T value);

	}

	static class OfGenericInterface implements Generic<String> {

		@Override
		@MyLock(name = "generic:#{value}", lockProvider = "memory")
		public void accept(String value) {
		}

	}

	abstract static class GenericClass<T> {

		@MyLock(name = "genericClass:#{value}", lockProvider = "memory")
		abstract void accept(T value);

	}

	static class OfGenericClass extends GenericClass<String> {

		@Override
		void accept(String text) {
		}

	}

	interface Once {

		@MyLock(name = "interface", lockProvider = "memory")
		void call();

	}

	@MyLock(name = "type", lockProvider = "memory")
	static class Twice implements Once {

		@Override
		@MyLock(name = "implementation", lockProvider = "memory")
		public void call() {
		}

	}

}
