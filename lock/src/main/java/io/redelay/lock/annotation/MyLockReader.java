package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.redelay.kotlin.KotlinFunction;
import io.redelay.kotlin.SuspendFunctions;
import io.redelay.lock.LeaseLost;
import io.redelay.lock.LockFailureHandler;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockSpec;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.lock.MyLockType;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Reads annotations and rejects invalid ones.
 */
final class MyLockReader {

	private static final String NO_LEASE = "Use at least 1 ms and at most 100 years, or -1 to hold the lock for as "
			+ "long as the method runs";

	private final ConfigurableBeanFactory beanFactory;

	private final LockExpressionParser parser;

	MyLockReader(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.parser = new LockExpressionParser(beanFactory);
	}

	MyLockOperation read(MergedAnnotation<MyLock> found, Method method, Class<?> targetClass, MyLockPlace place) {
		refuseFlowOfSuspendFunction(method, place);
		MyLock annotation = found.synthesize();
		Method annotated = (found.getSource() instanceof Method source) ? source : method;
		LockParameters parameters = new LockParameters(method, annotated);
		List<LockNameTemplate> names = names(annotation, place, parameters);
		MyLockStrategy strategy = annotation.lockStrategy();
		String handler = bean(annotation.failureHandler(), "failureHandler", LockFailureHandler.class, place);
		Method fallback = fallback(annotation.fallback(), method, targetClass, place);
		if (handler != null && fallback != null) {
			throw place.invalid("fallback", "there are both a failure handler and a fallback", "Choose one of them");
		}
		if (strategy.isSkipping() && handler == null && fallback == null && !canBeEmpty(method)) {
			throw place.invalid("lockStrategy",
					"the method returns " + SuspendFunctions.returnType(method).getName()
							+ ", so there is nothing to return when it is skipped",
					"Use a strategy that fails, return "
							+ ClassUtils.resolvePrimitiveIfNecessary(SuspendFunctions.returnType(method))
								.getSimpleName()
							+ (SuspendFunctions.isSuspend(method) ? "?" : "")
							+ ", or name a fallback or a failureHandler");
		}
		refuseIgnoredLoss(annotation, method, place);
		LockSpec locks = new LockSpec(List.of(annotation.name()), String.join(",", annotation.name()),
				annotation.lockType(), bean(annotation.lockProvider(), "lockProvider", LockProvider.class, place),
				strategy, waitTime(annotation, place), leaseTime(annotation, place), annotation.onLeaseLost(),
				minHold(annotation, place));
		return new MyLockOperation(method, names, locks,
				StringUtils.hasText(annotation.condition())
						? this.parser.expression(annotation.condition(), "condition", place, parameters) : null,
				StringUtils.hasText(annotation.message())
						? this.parser.template(annotation.message(), "message", place, parameters) : null,
				handler, fallback, (call) -> this.parser.context(parameters, call));
	}

	/**
	 * Returns whether there is something to return for a call that is skipped.
	 */
	private static boolean canBeEmpty(Method method) {
		Class<?> type = SuspendFunctions.returnType(method);
		if (!SuspendFunctions.isSuspend(method)) {
			// A caller could not distinguish a skipped call from a zero.
			return !type.isPrimitive() || type == void.class;
		}
		KotlinFunction function = KotlinFunction.of(method);
		return function == null || function.mayReturnNull() || MyLockOperation.emptyResult(type) != null;
	}

	/**
	 * The flow begins when the function has ended, in a coroutine of its collector. If
	 * that is cancelled, nothing shows when it has ended.
	 */
	private static void refuseFlowOfSuspendFunction(Method method, MyLockPlace place) {
		if (SuspendFunctions.isSuspend(method) && SuspendFunctions.isFlow(SuspendFunctions.returnType(method))) {
			throw place.invalid(null,
					"the suspend function returns a Flow, whose lock would be released too early when it is cancelled",
					"Leave out 'suspend', and suspend inside of flow { }: the lock is taken when the flow is collected");
		}
	}

	/**
	 * A stage that has completed cannot fail any more, so the interceptor has to replace
	 * it by a future.
	 */
	private static void refuseIgnoredLoss(MyLock annotation, Method method, MyLockPlace place) {
		Class<?> type = method.getReturnType();
		if (annotation.onLeaseLost() == LeaseLost.THROW && CompletionStage.class.isAssignableFrom(type)
				&& !type.isAssignableFrom(CompletableFuture.class)) {
			throw place.invalid("onLeaseLost",
					"the method returns " + type.getName() + ", which cannot be made to fail when the lock was lost",
					"Return a CompletableFuture or CompletionStage, or use LOG");
		}
	}

	private List<LockNameTemplate> names(MyLock annotation, MyLockPlace place, LockParameters parameters) {
		if (annotation.name().length == 0) {
			throw place.invalid("name", "there is no name", "Give the lock a name, like order:#{id}");
		}
		return Arrays.stream(annotation.name())
			.map((name) -> this.parser.template(name, "name", place, parameters))
			.toList();
	}

	private static Duration waitTime(MyLock annotation, MyLockPlace place) {
		if (annotation.waitTime() < 0) {
			throw place.invalid("waitTime", "the wait time " + annotation.waitTime() + " is negative",
					"Use 0 or more, or the strategy KEEP_TRYING to wait for as long as it takes");
		}
		Duration time = duration(annotation, annotation.waitTime());
		if (time == null) {
			throw place.invalid("waitTime", "the wait time overflows", "Use a shorter one, or KEEP_TRYING");
		}
		return time;
	}

	private static @Nullable Duration leaseTime(MyLock annotation, MyLockPlace place) {
		long lease = annotation.leaseTime();
		if (lease == -1) {
			return null;
		}
		Duration time = duration(annotation, lease);
		if (time == null || !LockSpec.isLease(time)) {
			throw place.invalid("leaseTime",
					"Redis cannot hold a lock for " + lease + " " + annotation.unit().name().toLowerCase(Locale.ROOT),
					NO_LEASE);
		}
		return time;
	}

	private static Duration minHold(MyLock annotation, MyLockPlace place) {
		Duration time = duration(annotation, annotation.minHold());
		if (time == null || time.isNegative() || time.compareTo(LockSpec.MAX_LEASE) > 0) {
			throw place.invalid("minHold",
					"Redis cannot hold a lock for " + annotation.minHold() + " "
							+ annotation.unit().name().toLowerCase(Locale.ROOT),
					"Use 0 or more, and at most 100 years");
		}
		if (annotation.leaseTime() != -1 && annotation.minHold() > annotation.leaseTime()) {
			throw place.invalid(
					"minHold", "the lock is to be held for at least " + annotation.minHold()
							+ ", but its lease ends after " + annotation.leaseTime(),
					"Use a lease that is as long at least, or -1");
		}
		if (!time.isZero() && annotation.lockProvider().isEmpty() && annotation.lockType() == MyLockType.READ_LOCK) {
			throw place.invalid("minHold", "a read lock does not keep other readers out", "Use another type of lock");
		}
		return time;
	}

	private static @Nullable Duration duration(MyLock annotation, long value) {
		try {
			return Duration.of(value, annotation.unit().toChronoUnit());
		}
		catch (ArithmeticException | DateTimeException ex) {
			return null;
		}
	}

	private @Nullable String bean(String name, String attribute, Class<?> type, MyLockPlace place) {
		if (!StringUtils.hasText(name)) {
			return null;
		}
		String resolved = this.parser.placeholders(name, attribute, place);
		if (resolved == null || !this.beanFactory.containsBean(resolved)) {
			throw place.invalid(attribute, "there is no bean '" + resolved + "'",
					"Define a " + type.getSimpleName() + " bean of this name");
		}
		if (!this.beanFactory.isTypeMatch(resolved, type)) {
			throw place.invalid(attribute,
					"the bean '" + resolved + "' is no " + type.getSimpleName() + ", but a " + typeName(resolved),
					"Name a bean of this type");
		}
		return resolved;
	}

	private String typeName(String beanName) {
		Class<?> type = this.beanFactory.getType(beanName);
		return (type != null) ? type.getName() : "bean of another type";
	}

	private static @Nullable Method fallback(String name, Method method, Class<?> targetClass, MyLockPlace place) {
		if (!StringUtils.hasText(name)) {
			return null;
		}
		Method fallback = ReflectionUtils.findMethod(targetClass, name, method.getParameterTypes());
		if (fallback == null) {
			throw place.invalid(
					"fallback", "there is no " + (SuspendFunctions.isSuspend(method) ? "suspend function " : "method ")
							+ name + " with the parameters " + parameters(method),
					"Write one in " + targetClass.getName());
		}
		if (isSame(fallback, method)) {
			throw place.invalid("fallback",
					"the method " + name + " is the method itself, which would run without the lock",
					"Name another method; if the annotation is on the type, let the fallback be not public");
		}
		if (MergedAnnotations.from(fallback, SearchStrategy.TYPE_HIERARCHY).isPresent(MyLock.class)) {
			throw place.invalid("fallback",
					"the method " + name + " has a @MyLock of its own, which would not lock as the fallback is called "
							+ "inside of the object",
					"Name a method without one");
		}
		if (!ClassUtils.isAssignable(SuspendFunctions.returnType(method), SuspendFunctions.returnType(fallback))) {
			throw place.invalid("fallback",
					"the method " + name + " returns " + SuspendFunctions.returnType(fallback).getName()
							+ " instead of " + SuspendFunctions.returnType(method).getName(),
					"Let both return the same");
		}
		ReflectionUtils.makeAccessible(fallback);
		return fallback;
	}

	private static List<String> parameters(Method method) {
		int count = SuspendFunctions.isSuspend(method) ? method.getParameterCount() - 1 : method.getParameterCount();
		return Arrays.stream(method.getParameterTypes()).limit(count).map(Class::getSimpleName).toList();
	}

	private static boolean isSame(Method one, Method other) {
		return one.getName().equals(other.getName())
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

}
