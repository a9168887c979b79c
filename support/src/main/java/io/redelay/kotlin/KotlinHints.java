package io.redelay.kotlin;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets a native image find out which libraries for suspend functions are there.
 */
final class KotlinHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		List.of("kotlin.reflect.full.KCallables", "kotlinx.coroutines.reactor.MonoKt")
			.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
	}

}
