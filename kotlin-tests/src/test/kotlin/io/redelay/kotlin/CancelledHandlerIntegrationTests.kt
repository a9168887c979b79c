package io.redelay.kotlin

import io.redelay.queue.work.CancellationToken
import io.redelay.queue.work.DeliveryInfo
import io.redelay.queue.work.HandlingCancelledException
import io.redelay.queue.OutboundMessage
import io.redelay.queue.QueueListener
import io.redelay.queue.listener.QueueListeners
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

/**
 * Handlers that are suspend functions, and are cancelled.
 */
class CancelledHandlerIntegrationTests {

    private val queues = application.queues

    private val handlers = application.bean<Handlers>()

    @Test
    fun `a function is cancelled with the message, with the reason`() {
        queues.send(OutboundMessage.to("k-cancelled", "x").id("one"))
        await().until { handlers.seen.contains("cancelled began") }
        application.admin.messages().cancel("k-cancelled", "one")
        application.awaitHandled("k-cancelled")
        assertThat(handlers.seen).contains("cancelled by CANCELLED")
        assertThat(application.admin.queues().info("k-cancelled").dead()).isZero()
    }

    @Test
    fun `a function that has no time left is cancelled`() {
        queues.send("k-overdue", "x")
        await().until { handlers.seen.contains("overdue by TIMED_OUT") }
    }

    @Test
    fun `a function is cancelled when its listener stops, and the message is delivered again`() {
        queues.send("k-stopped", "x")
        await().until { handlers.seen.contains("stopped began 1") }
        val listeners = application.bean<QueueListeners>()
        listeners.stop("stopped").get()
        assertThat(handlers.seen).contains("stopped by SHUTDOWN")
        listeners.start("stopped")
        await().until { handlers.seen.any { it.startsWith("stopped again") } }
        application.awaitHandled("k-stopped")
        assertThat(handlers.seen).contains("stopped again with 0 failures")
    }

    @Test
    fun `a cancelled function ends before its message is settled`() {
        queues.send("k-cleanup", "x")
        await().until { handlers.seen.contains("cleanup began") }
        val stopped = application.bean<QueueListeners>().stop("cleanup")
        await().until { handlers.seen.contains("cleaning up") }
        assertThat(application.admin.queues().info("k-cleanup").inFlight()).isOne()
        handlers.cleanup.complete(Unit)
        stopped.get()
        assertThat(handlers.seen).contains("cleaned up")
        assertThat(application.admin.queues().info("k-cleanup").ready()).isOne()
    }

    @Test
    fun `what a function that returns although it was cancelled has done is done`() {
        queues.send(OutboundMessage.to("k-finishing", "x").id("one"))
        await().until { handlers.seen.contains("finishing began") }
        val stopped = application.bean<QueueListeners>().stop("finishing")
        await().until { handlers.seen.contains("finishing although SHUTDOWN") }
        handlers.finish.countDown()
        stopped.get()
        assertThat(application.admin.messages().find("k-finishing", "one").get().result()).isEqualTo("done".toByteArray())
    }

    class Handlers {

        val seen = ConcurrentLinkedQueue<String>()

        val cleanup = CompletableDeferred<Unit>()

        val finish = CountDownLatch(1)

        private val stops = AtomicInteger()

        @QueueListener("k-cancelled")
        suspend fun cancelled(text: String) {
            seen.add("cancelled began")
            reasonOfEnd("cancelled")
        }

        @QueueListener("k-overdue", maxHandlingTime = "1s")
        suspend fun overdue(text: String) = reasonOfEnd("overdue")

        @QueueListener("k-stopped", id = "stopped")
        suspend fun stopped(text: String, info: DeliveryInfo) {
            if (stops.incrementAndGet() > 1) {
                seen.add("stopped again with ${info.failures()} failures")
                return
            }
            seen.add("stopped began 1")
            reasonOfEnd("stopped")
        }

        private suspend fun reasonOfEnd(name: String) {
            try {
                awaitCancellation()
            } catch (ex: CancellationException) {
                seen.add("$name by ${(ex as? HandlingCancelledException)?.reason}")
                throw ex
            }
        }

        @QueueListener("k-cleanup", id = "cleanup")
        suspend fun cleanup(text: String) {
            seen.add("cleanup began")
            try {
                awaitCancellation()
            } finally {
                withContext(NonCancellable) {
                    seen.add("cleaning up")
                    cleanup.await()
                    seen.add("cleaned up")
                }
            }
        }

        @QueueListener("k-finishing", id = "finishing")
        suspend fun finishing(text: String, token: CancellationToken): String {
            seen.add("finishing began")
            token.onCancel { seen.add("finishing although $it") }
            finish.await()
            return "done"
        }
    }

    companion object {

        private val application = KotlinApplication(
            Handlers::class,
            properties = mapOf(
                "redelay.queue.queues.k-finishing.completed.max-count" to 10,
                "redelay.queue.queues.k-finishing.completed.results" to true,
            ),
        )

        @AfterAll
        @JvmStatic
        fun close() = application.close()
    }
}
