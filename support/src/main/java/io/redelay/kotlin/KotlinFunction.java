package io.redelay.kotlin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import kotlin.coroutines.Continuation;
import kotlin.jvm.JvmClassMappingKt;
import kotlin.reflect.KClass;
import kotlin.reflect.KFunction;
import kotlin.reflect.KParameter;
import kotlin.reflect.KType;
import kotlin.reflect.full.KCallables;
import kotlin.reflect.full.KClasses;
import kotlin.reflect.jvm.KCallablesJvm;
import kotlin.reflect.jvm.ReflectJvmMapping;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;

/**
 * A method that is called as Kotlin calls it: with default arguments, with value classes,
 * and as a suspend function.
 *
 * @since 0.1.0
 */
public final class KotlinFunction {

	private final KFunction<?> function;

	private final @Nullable KParameter instance;

	/**
	 * The parameters that a method has, too.
	 */
	private final List<KParameter> parameters;

	private KotlinFunction(KFunction<?> function) {
		this.function = function;
		this.instance = KCallables.getInstanceParameter(function);
		this.parameters = function.getParameters()
			.stream()
			.filter((parameter) -> parameter.getKind() != KParameter.Kind.INSTANCE)
			.toList();
		KCallablesJvm.setAccessible(function, true);
	}

	/**
	 * Returns a method as a function of Kotlin.
	 * @return the function, or {@code null} if it is no function of Kotlin, or
	 * {@code kotlin-reflect} is not there
	 */
	public static @Nullable KotlinFunction of(Method method) {
		if (!KotlinDetector.isKotlinReflectPresent() || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
			return null;
		}
		KFunction<?> function = ReflectJvmMapping.getKotlinFunction(method);
		return (function != null) ? new KotlinFunction(function) : null;
	}

	/**
	 * Returns whether the method cannot simply be invoked, because a parameter has a
	 * default argument or is of a value class.
	 */
	public boolean hasOwnConvention() {
		return this.parameters.stream()
			.anyMatch((parameter) -> parameter.isOptional() || valueClass(parameter.getType()) != null);
	}

	/**
	 * Returns whether the function returns {@code null} in some case, or nothing.
	 */
	public boolean mayReturnNull() {
		KType type = this.function.getReturnType();
		return type.isMarkedNullable()
				|| JvmClassMappingKt.getKotlinClass(kotlin.Unit.class).equals(type.getClassifier());
	}

	/**
	 * Returns the value class of a parameter, for which the method may take the value.
	 * @return the class, or {@code null} if the type is no value class
	 */
	public @Nullable Class<?> valueClass(int position) {
		KClass<?> type = valueClass(this.parameters.get(position).getType());
		return (type != null) ? JvmClassMappingKt.getJavaClass(type) : null;
	}

	/**
	 * Makes the argument for a parameter of a value class from the value that the method
	 * takes in its place.
	 * @throws Exception if the constructor of the value class throws it
	 */
	public @Nullable Object boxed(int position, @Nullable Object argument) throws Exception {
		KType type = this.parameters.get(position).getType();
		return (argument != null) ? boxed(type, argument) : null;
	}

	private static Object boxed(KType type, Object argument) throws Exception {
		KClass<?> valueClass = valueClass(type);
		if (valueClass == null || JvmClassMappingKt.getJavaClass(valueClass).isInstance(argument)) {
			return argument;
		}
		KFunction<?> constructor = Objects.requireNonNull(KClasses.getPrimaryConstructor(valueClass));
		KCallablesJvm.setAccessible(constructor, true);
		try {
			return Objects
				.requireNonNull(constructor.call(boxed(constructor.getParameters().get(0).getType(), argument)));
		}
		catch (InvocationTargetException ex) {
			if (ex.getTargetException() instanceof Exception refused) {
				throw refused;
			}
			throw ex;
		}
	}

	private static @Nullable KClass<?> valueClass(KType type) {
		return (type.getClassifier() instanceof KClass<?> classifier
				&& KotlinDetector.isInlineClass(JvmClassMappingKt.getJavaClass(classifier))) ? classifier : null;
	}

	/**
	 * Calls the function.
	 * @param target the object whose function it is
	 * @param arguments an argument for each parameter; where one is {@code null} and the
	 * parameter has a default argument, that is taken
	 * @return the result of the function
	 * @throws InvocationTargetException if the function throws
	 */
	public @Nullable Object call(Object target, @Nullable Object[] arguments) throws InvocationTargetException {
		return call(target, arguments, this.function::callBy);
	}

	/**
	 * Calls the suspend function.
	 * @param target the object whose function it is
	 * @param arguments an argument for each parameter but the continuation
	 * @param end continues after the function, unless that ends without being suspended
	 * @return the result of the function, or that it is suspended
	 * @throws InvocationTargetException if the function throws before it is suspended
	 */
	public @Nullable Object start(Object target, @Nullable Object[] arguments, Continuation<@Nullable Object> end)
			throws InvocationTargetException {
		return call(target, arguments, (all) -> KCallables.callSuspendBy(this.function, all, end));
	}

	private @Nullable Object call(Object target, @Nullable Object[] arguments, Call call)
			throws InvocationTargetException {
		Map<KParameter, @Nullable Object> all = new HashMap<>();
		if (this.instance != null) {
			all.put(this.instance, target);
		}
		for (int position = 0; position < this.parameters.size(); position++) {
			KParameter parameter = this.parameters.get(position);
			if (arguments[position] != null || !parameter.isOptional()) {
				all.put(parameter, arguments[position]);
			}
		}
		return call.with(all);
	}

	@FunctionalInterface
	private interface Call {

		@Nullable Object with(Map<KParameter, @Nullable Object> arguments) throws InvocationTargetException;

	}

}
