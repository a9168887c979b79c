package io.redelay.kotlin

import io.redelay.lock.MyLock
import io.redelay.queue.QueueListener
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.io.File
import java.net.URLClassLoader
import java.util.function.Supplier
import kotlin.reflect.KClass

/**
 * Suspend functions in applications that lack what calls them.
 */
class MissingDependencyIntegrationTests {

    @ParameterizedTest
    @CsvSource(
        "kotlin-reflect, org.jetbrains.kotlin:kotlin-reflect",
        "kotlinx-coroutines, org.jetbrains.kotlinx:kotlinx-coroutines-reactor",
    )
    fun `a suspend function is refused, and the dependency is named`(jar: String, dependency: String) {
        val failures = without(jar, Refusals::class)
        assertThat(failures).hasSize(2)
        assertThat(failures[0]).contains("@QueueListener", "it is a suspend function", "Add $dependency to")
        assertThat(failures[1]).contains("@MyLock", "suspend function", "Add $dependency to")
    }

    /**
     * Gives what a class gives without some of the libraries.
     */
    private fun without(jar: String, type: KClass<out Supplier<List<String>>>): List<String> {
        val path = System.getProperty("java.class.path").split(File.pathSeparator).map(::File)
        val libraries = path.filterNot { it.name.startsWith(jar) }.map { it.toURI().toURL() }.toTypedArray()
        val before = Thread.currentThread().contextClassLoader
        URLClassLoader(libraries, ClassLoader.getPlatformClassLoader()).use {
            Thread.currentThread().contextClassLoader = it
            try {
                @Suppress("UNCHECKED_CAST")
                return (it.loadClass(type.java.name).getConstructor().newInstance() as Supplier<List<String>>).get()
            } finally {
                Thread.currentThread().contextClassLoader = before
            }
        }
    }

    class Refusals : Supplier<List<String>> {

        override fun get() = listOf(failure(Listening::class), failure(Locking::class))

        private fun failure(type: KClass<*>): String {
            try {
                KotlinApplication(type).close()
                return "none"
            } catch (ex: RuntimeException) {
                return generateSequence(ex as Throwable) { it.cause }.last().toString()
            }
        }
    }

    class Listening {

        @QueueListener("k-missing")
        suspend fun handle(text: String) = Unit
    }

    open class Locking {

        @MyLock("x")
        open suspend fun locked() = Unit
    }
}
