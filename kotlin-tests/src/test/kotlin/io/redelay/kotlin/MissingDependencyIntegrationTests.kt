package io.redelay.kotlin

import io.redelay.lock.MyLock
import io.redelay.queue.QueueListener
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.io.File
import java.net.URLClassLoader
import java.util.function.Supplier
import kotlin.reflect.KClass

/**
 * Suspend functions in applications that lack what calls them.
 */
class MissingDependencyIntegrationTests {

    @Test
    fun `a handler is refused without Kotlin's reflection`() {
        assertThat(without("kotlin-reflect", ListeningRefused::class)).contains(
            "@QueueListener",
            "it is a suspend function",
            "Add org.jetbrains.kotlin:kotlin-reflect to",
        )
    }

    @Test
    fun `a locked function is refused without coroutines`() {
        assertThat(without("kotlinx-coroutines", LockingRefused::class)).contains(
            "@MyLock",
            "suspend function",
            "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to",
        )
    }

    /**
     * Gives what a class gives without some of the libraries.
     */
    private fun without(jar: String, type: KClass<out Supplier<String>>): String {
        val path = System.getProperty("java.class.path").split(File.pathSeparator).map(::File)
        val libraries = path.filterNot { it.name.startsWith(jar) }.map { it.toURI().toURL() }.toTypedArray()
        val before = Thread.currentThread().contextClassLoader
        URLClassLoader(libraries, ClassLoader.getPlatformClassLoader()).use {
            Thread.currentThread().contextClassLoader = it
            try {
                @Suppress("UNCHECKED_CAST")
                return (it.loadClass(type.java.name).getConstructor().newInstance() as Supplier<String>).get()
            } finally {
                Thread.currentThread().contextClassLoader = before
            }
        }
    }

    class ListeningRefused : Refused(Listening::class)

    class LockingRefused : Refused(Locking::class)

    open class Refused(private val type: KClass<*>) : Supplier<String> {

        override fun get(): String {
            try {
                KotlinApplication(type).close()
                return "not refused"
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
