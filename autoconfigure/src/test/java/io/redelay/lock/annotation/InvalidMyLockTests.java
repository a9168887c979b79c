package io.redelay.lock.annotation;

import java.util.concurrent.TimeUnit;

import io.redelay.lock.LeaseLost;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import org.junit.jupiter.api.Test;
import org.redisson.api.RFuture;
import org.redisson.misc.CompletableFutureWrapper;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for annotations that are refused when an application starts.
 */
class InvalidMyLockTests {

	@Test
	void leasesThatRedisCannotHold() {
		assertRefused(ZeroLease.class, "leaseTime", "0 seconds");
		assertRefused(MicroLease.class, "leaseTime", "500 microseconds");
		assertRefused(HugeLease.class, "leaseTime", "days");
		assertRefused(OtherNegativeLease.class, "leaseTime", "-2");
	}

	@Test
	void negativeWait() {
		assertRefused(NegativeWait.class, "waitTime", "negative");
	}

	@Test
	void methodsThatNoProxyCanReach() {
		assertRefused(FinalMethod.class, "final");
		assertRefused(PrivateMethod.class, "private");
		assertRefused(StaticMethod.class, "static");
	}

	@Test
	void methodThatTheJdkProxyLacks() {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> {
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.registerBean(MyLockBeanPostProcessor.class);
				context.registerBean("bean", NotInInterface.class);
				context.refresh();
			}
		}).withRootCauseInstanceOf(IllegalStateException.class).withStackTraceContaining("JDK proxy");
	}

	@Test
	void missingBeans() {
		assertRefused(NoProvider.class, "lockProvider", "no bean 'nobody'");
		assertRefused(NoHandler.class, "failureHandler", "no bean 'nobody'");
		assertRefused(NoHandlerProperty.class, "failureHandler", "a placeholder in '${no.such}' cannot be resolved");
		assertRefused(WrongHandler.class, "failureHandler", "is no LockFailureHandler");
	}

	@Test
	void fallbacksThatDoNotFit() {
		assertRefused(NoFallback.class, "fallback", "no method nobody");
		assertRefused(OtherFallback.class, "fallback", "instead of");
	}

	@Test
	void primitiveThatIsSkipped() {
		assertRefused(SkippedPrimitive.class, "lockStrategy", "returns int");
	}

	@Test
	void lossThatTheResultCannotReport() {
		assertRefused(LossUntold.class, "onLeaseLost", "RFuture");
	}

	@Test
	void noName() {
		assertRefused(NoName.class, "name", "no name");
		assertRefused(UnknownName.class, "name", "'idd'");
	}

	@Test
	void fallbackThatIsTheMethodItself() {
		assertRefused(OwnFallback.class, "fallback", "the method itself");
	}

	@Test
	void fallbackWhoseOwnLockWouldNotBeTaken() {
		assertRefused(LockedFallback.class, "fallback", "@MyLock of its own");
	}

	@Test
	void typesAndMethodsInExpressionsThatDoNotExist() {
		assertRefused(NoConstructor.class, "name", "no type nosuch.Type");
		assertRefused(NoStaticMethod.class, "name", "java.lang.Math", "no method 'nosuch'");
	}

	@Test
	void classesOfWhichThereIsNoProxy() {
		assertRefused(FinalClass.class, "FinalClass is final");
		assertRefused(Sealed.class, "no proxy can be made of the class", "Sealed");
	}

	@Test
	void nameOfAClassThatNeedsParametersOnAMethodWithoutAny() {
		InvalidMyLockException ex = refusal(NamedByClass.class);
		assertThat(ex.getProblem()).contains("'id'");
		assertThat(ex.getMend()).contains("no parameters").doesNotContain("[]");
	}

	@Test
	void wrongBeanSaysWhatItIs() {
		assertRefused(WrongHandler.class, "'text' is no LockFailureHandler", "java.lang.String");
	}

	@Test
	void saysWhereAndHowToMend() {
		InvalidMyLockException ex = refusal(ZeroLease.class);
		assertThat(ex.getPlace()).contains("'leaseTime'").contains("ZeroLease.run").contains("'bean'");
		assertThat(ex.getMend()).contains("-1");
	}

	private static void assertRefused(Class<?> type, String... words) {
		assertThat(refusal(type)).hasMessageContainingAll(words);
	}

	private static InvalidMyLockException refusal(Class<?> type) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			MyLockBeanPostProcessor processor = new MyLockBeanPostProcessor();
			processor.setProxyTargetClass(true);
			context.registerBean(MyLockBeanPostProcessor.class, () -> processor);
			context.registerBean("text", String.class, () -> "text");
			context.registerBean("bean", type);
			context.refresh();
		}
		catch (BeanCreationException ex) {
			Throwable cause = ex;
			while (cause != null && !(cause instanceof InvalidMyLockException)) {
				cause = cause.getCause();
			}
			assertThat(cause).as(() -> "A refusal in " + ex).isNotNull();
			return (InvalidMyLockException) cause;
		}
		throw new AssertionError("It was not refused");
	}

	static class ZeroLease {

		@MyLock(name = "x", leaseTime = 0)
		void run() {
		}

	}

	static class MicroLease {

		@MyLock(name = "x", leaseTime = 500, unit = TimeUnit.MICROSECONDS)
		void run() {
		}

	}

	static class HugeLease {

		@MyLock(name = "x", leaseTime = Long.MAX_VALUE, unit = TimeUnit.DAYS)
		void run() {
		}

	}

	static class OtherNegativeLease {

		@MyLock(name = "x", leaseTime = -2)
		void run() {
		}

	}

	static class NegativeWait {

		@MyLock(name = "x", waitTime = -1)
		void run() {
		}

	}

	static class FinalMethod {

		@MyLock("x")
		final void run() {
		}

	}

	static class PrivateMethod {

		@MyLock("x")
		@SuppressWarnings("unused")
		private void run() {
		}

	}

	static class StaticMethod {

		@MyLock("x")
		static void run() {
		}

	}

	static class NotInInterface implements Runnable {

		@Override
		public void run() {
		}

		@MyLock("x")
		public void other() {
		}

	}

	static class NoProvider {

		@MyLock(name = "x", lockProvider = "nobody")
		void run() {
		}

	}

	static class NoHandlerProperty {

		@MyLock(name = "a", failureHandler = "${no.such}")
		void run() {
		}

	}

	static class NoHandler {

		@MyLock(name = "x", failureHandler = "nobody")
		void run() {
		}

	}

	static class WrongHandler {

		@MyLock(name = "x", failureHandler = "text")
		void run() {
		}

	}

	static class NoFallback {

		@MyLock(name = "x", fallback = "nobody")
		void run() {
		}

	}

	static class OtherFallback {

		@MyLock(name = "x", fallback = "other")
		String run() {
			return "";
		}

		Integer other() {
			return 1;
		}

	}

	static class OwnFallback {

		@MyLock(name = "x", fallback = "run")
		String run(String id) {
			return id;
		}

	}

	static class LockedFallback {

		@MyLock(name = "x", fallback = "other")
		void run(String id) {
		}

		@MyLock("y")
		void other(String id) {
		}

	}

	static class NoConstructor {

		@MyLock("#{new nosuch.Type(id)}")
		void run(String id) {
		}

	}

	static class NoStaticMethod {

		@MyLock("#{T(java.lang.Math).nosuch(id)}")
		void run(String id) {
		}

	}

	static final class FinalClass {

		@MyLock("x")
		void run() {
		}

	}

	static sealed class Sealed {

		@MyLock("x")
		void run() {
		}

	}

	static final class OnlyChild extends Sealed {

	}

	@MyLock("order:#{id}")
	static class NamedByClass {

		public void run() {
		}

	}

	static class SkippedPrimitive {

		@MyLock(name = "x", lockStrategy = MyLockStrategy.SKIP_FAST)
		int run() {
			return 1;
		}

	}

	static class LossUntold {

		@MyLock(name = "x", onLeaseLost = LeaseLost.THROW)
		RFuture<String> run() {
			return new CompletableFutureWrapper<>("run");
		}

	}

	static class NoName {

		@MyLock
		void run() {
		}

	}

	static class UnknownName {

		@MyLock("#{idd}")
		void run(String id) {
		}

	}

}
