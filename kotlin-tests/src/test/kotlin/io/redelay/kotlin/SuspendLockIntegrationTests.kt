package io.redelay.kotlin

import io.redelay.lock.LockContext
import io.redelay.lock.LockFailureHandler
import io.redelay.lock.LockNotAcquiredException
import io.redelay.lock.LockSpec
import io.redelay.lock.LockTemplate
import io.redelay.lock.MyLock
import io.redelay.lock.MyLockStrategy
import io.redelay.lock.MyLockType
import io.redelay.queue.work.DeliveryInfo
import io.redelay.queue.QueueListener
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Lazy
import java.time.Duration
import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext

/**
 * Suspend functions under a lock.
 */
class SuspendLockIntegrationTests {

    private val accounts = application.bean<Accounts>()

    private val locks = application.bean<LockTemplate>()

    private val name = "k-${UUID.randomUUID()}"

    @Test
    fun `one coroutine at a time runs under a lock of each kind`() {
        for (book in listOf<suspend (String) -> Unit>(accounts::reentrant, accounts::fair, accounts::write)) {
            together(3) { book(name) }
        }
        assertThat(accounts.most.get()).isOne()
    }

    @Test
    fun `readers share a lock, and keep a writer out`() = runBlocking<Unit> {
        val readers = List(2) { launch(Dispatchers.Default) { accounts.read(name) } }
        await().until { accounts.readers.get() == 2 }
        assertThat(isFree(MyLockType.WRITE_LOCK)).isFalse()
        accounts.read.complete(Unit)
        readers.forEach { it.join() }
        assertThat(isFree(MyLockType.WRITE_LOCK)).isTrue()
    }

    @Test
    fun `a lock is entered again by suspend functions and by blocking methods`() = runBlocking<Unit> {
        assertThat(accounts.outer(name)).isEqualTo("inner blocking $name")
    }

    @Test
    fun `a lock is held until the coroutine has ended, also after it was cancelled`() {
        for (context in listOf<CoroutineContext>(Dispatchers.Default, Dispatchers.Unconfined)) {
            val end = CompletableDeferred<Unit>()
            runBlocking {
                val job = launch(context) { accounts.endless(name, end) }
                await().until { !isFree(MyLockType.RE_ENTRANT_LOCK) }
                job.cancelAndJoin()
            }
            await().during(Duration.ofMillis(100)).until { !isFree(MyLockType.RE_ENTRANT_LOCK) }
            end.complete(Unit)
            await().until { isFree(MyLockType.RE_ENTRANT_LOCK) }
        }
    }

    @Test
    fun `a flow is collected under the lock, which is held until its coroutine has ended`() {
        val end = CompletableDeferred<Unit>()
        runBlocking(Dispatchers.Default) { assertThat(accounts.flow(name, end).first()).isEqualTo("under [$name]") }
        await().during(Duration.ofMillis(100)).until { !isFree(MyLockType.RE_ENTRANT_LOCK) }
        end.complete(Unit)
        await().until { isFree(MyLockType.RE_ENTRANT_LOCK) }
    }

    @Test
    fun `a caller that is cancelled while it waits does not get the lock`() {
        locks.execute<Unit, Exception>(LockSpec.of(name)) {
            runBlocking {
                val job = launch(Dispatchers.Default) { accounts.reentrant(name) }
                delay(20)
                job.cancelAndJoin()
            }
        }
        await().until { isFree(MyLockType.RE_ENTRANT_LOCK) }
    }

    @Test
    fun `who does not get the lock gets null, the fallback, what the handler gives, or an exception`() {
        val release = CompletableDeferred<Unit>()
        runBlocking(Dispatchers.Default) {
            val holder = launch { accounts.endless(name, release) }
            await().until { !isFree(MyLockType.RE_ENTRANT_LOCK) }
            assertThat(accounts.skipping(name)).isNull()
            assertThat(accounts.withFallback(name)).isEqualTo("fallback of $name")
            assertThat(accounts.withHandler(name)).isEqualTo("handled [$name]")
            assertThat(runCatching { accounts.failing(name) }.exceptionOrNull())
                .isInstanceOf(LockNotAcquiredException::class.java)
            release.complete(Unit)
            holder.cancelAndJoin()
        }
    }

    @Test
    fun `an exception is that of the function, and the lock is released`() = runBlocking<Unit> {
        assertThat(runCatching { accounts.throwing(name) }.exceptionOrNull())
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessage("thrown under $name")
        assertThat(isFree(MyLockType.RE_ENTRANT_LOCK)).isTrue()
    }

    @Test
    fun `the message of a handler without its lock is given back, and no attempt counts`() {
        val handler = application.bean<LockedHandler>()
        locks.execute<Unit, Exception>(LockSpec.of("k-lock-$name")) {
            application.queues.send("k-locked", name)
            await().until { application.admin.queues().info("k-locked").scheduled() == 1L }
        }
        await().until { handler.seen.contains("$name with 0 failures") }
        application.awaitHandled("k-locked")
    }

    @Test
    fun `a function that cannot be skipped is refused`() {
        val failure = assertThrows<Exception> { KotlinApplication(NotSkippable::class).close() }
        assertThat(failure).rootCause().hasMessageContaining("there is nothing to return").hasMessageContaining("Integer?")
    }

    @Test
    fun `a suspend function that returns a flow is refused`() {
        val failure = assertThrows<Exception> { KotlinApplication(SuspendedFlow::class).close() }
        assertThat(failure).rootCause().hasMessageContaining("returns a Flow").hasMessageContaining("Leave out 'suspend'")
    }

    private fun together(count: Int, block: suspend () -> Unit) = runBlocking(Dispatchers.Default) {
        repeat(count) { launch { block() } }
    }

    private fun isFree(type: MyLockType): Boolean = locks.execute<Boolean, Exception>(
        LockSpec.of(name).withType(type).withStrategy(MyLockStrategy.FAIL_FAST),
        { true },
        { false },
    )!!

    open class Accounts(@param:Lazy private val self: Accounts) {

        open val most = AtomicInteger()

        open val readers = AtomicInteger()

        open val read = CompletableDeferred<Unit>()

        private val inside = AtomicInteger()

        @MyLock("#{id}", waitTime = 30)
        open suspend fun reentrant(id: String) = book()

        @MyLock("#{id}", waitTime = 30, lockType = MyLockType.FAIR_LOCK)
        open suspend fun fair(id: String) = book()

        @MyLock("#{id}", waitTime = 30, lockType = MyLockType.WRITE_LOCK)
        open suspend fun write(id: String) = book()

        private suspend fun book() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max)
            delay(20)
            inside.decrementAndGet()
        }

        @MyLock("#{id}", lockType = MyLockType.READ_LOCK)
        open suspend fun read(id: String) {
            readers.incrementAndGet()
            read.await()
        }

        @MyLock("#{id}")
        open suspend fun outer(id: String): String {
            delay(1)
            return self.inner(id)
        }

        @MyLock("#{id}", lockStrategy = MyLockStrategy.FAIL_FAST)
        open suspend fun inner(id: String): String {
            delay(1)
            return "inner " + self.blocking(id)
        }

        @MyLock("#{id}", lockStrategy = MyLockStrategy.FAIL_FAST)
        open fun blocking(id: String) = "blocking " + LockContext.current()!!.names().single()

        @MyLock("#{id}")
        open suspend fun endless(id: String, end: CompletableDeferred<Unit>) {
            try {
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { end.await() }
            }
        }

        @MyLock("#{id}")
        open fun flow(id: String, end: CompletableDeferred<Unit>): Flow<String> = flow {
            try {
                delay(1)
                emit("under ${LockContext.current()?.names()}")
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { end.await() }
            }
        }

        @MyLock("#{id}", lockStrategy = MyLockStrategy.SKIP_FAST)
        open suspend fun skipping(id: String): String? = "not skipped"

        @MyLock("#{id}", lockStrategy = MyLockStrategy.FAIL_FAST, fallback = "fallback")
        open suspend fun withFallback(id: String): String = "not skipped"

        suspend fun fallback(id: String): String {
            delay(50)
            return "fallback of $id"
        }

        @MyLock("#{id}", lockStrategy = MyLockStrategy.FAIL_FAST, failureHandler = "kotlinFailureHandler")
        open suspend fun withHandler(id: String): String = "not skipped"

        @MyLock("#{id}", lockStrategy = MyLockStrategy.FAIL_FAST)
        open suspend fun failing(id: String): Int = 1

        @MyLock("#{id}")
        open suspend fun throwing(id: String) {
            yield()
            error("thrown under $id")
        }
    }

    open class LockedHandler {

        open val seen = ConcurrentLinkedQueue<String>()

        @QueueListener("k-locked")
        @MyLock("k-lock-#{id}", lockStrategy = MyLockStrategy.SKIP_FAST)
        open suspend fun handle(id: String, info: DeliveryInfo) {
            delay(1)
            seen.add("$id with ${info.failures()} failures")
        }
    }

    class FailureHandlers {

        @Bean
        fun kotlinFailureHandler() = LockFailureHandler { "handled ${it.arguments()}" }
    }

    open class NotSkippable {

        @MyLock("x", lockStrategy = MyLockStrategy.SKIP_FAST)
        open suspend fun count(): Int = 1
    }

    open class SuspendedFlow {

        @MyLock("x")
        open suspend fun flow(): Flow<String> = flow { emit("x") }
    }

    companion object {

        private val application = KotlinApplication(
            Accounts::class,
            LockedHandler::class,
            FailureHandlers::class,
            properties = mapOf("redelay.lock.give-back-delay" to "300ms"),
        )

        @AfterAll
        @JvmStatic
        fun close() = application.close()
    }
}
