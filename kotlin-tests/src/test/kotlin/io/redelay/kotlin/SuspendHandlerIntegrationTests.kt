package io.redelay.kotlin

import io.redelay.queue.AckMode
import io.redelay.queue.Acknowledgment
import io.redelay.queue.work.CancellationToken
import io.redelay.queue.listener.DeliveryFilter
import io.redelay.queue.work.DeliveryInfo
import io.redelay.queue.work.MessageDelivery
import io.redelay.queue.MessageState
import io.redelay.queue.OutboundMessage
import io.redelay.queue.listener.QueueHandler
import io.redelay.queue.QueueListener
import io.redelay.queue.QueueOperations
import io.redelay.queue.work.RecurringState
import io.redelay.queue.admin.QueuedMessage
import io.redelay.queue.logging.QueueMdc
import io.redelay.queue.recurring.RecurringMessage
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.slf4j.MDC
import org.springframework.messaging.Message
import org.springframework.messaging.handler.annotation.Header
import org.springframework.scheduling.annotation.Async
import org.springframework.stereotype.Component
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * Handlers that are suspend functions.
 */
class SuspendHandlerIntegrationTests {

    private val queues = application.queues

    private val handlers = application.bean<Handlers>()

    @Test
    fun `a message is done when the coroutine has ended, and not before`() {
        queues.send("k-slow", "x")
        await().until { handlers.seen.contains("slow began") }
        assertThat(application.admin.queues().info("k-slow").inFlight()).isOne()
        handlers.gate.complete(Unit)
        application.awaitHandled("k-slow")
        assertThat(handlers.seen).contains("slow ended")
    }

    @Test
    fun `a function takes what a method of Java takes`() {
        queues.send(OutboundMessage.to("k-all", Order("o-1", 2)).header("tenant", "t").id("id-1"))
        application.awaitHandled("k-all")
        assertThat(handlers.seen).contains("all Order(id=o-1, amount=2) t id-1 k-all id-1 null")
        queues.send("k-message", Order("o-2", 3))
        application.awaitHandled("k-message")
        assertThat(handlers.seen).contains("message Order(id=o-2, amount=3)")
    }

    @Test
    fun `what the filter of the listener does not accept is acknowledged unhandled`() {
        queues.send(OutboundMessage.to("k-filtered", "left out").header("test", "yes"))
        queues.send("k-filtered", "accepted")
        application.awaitHandled("k-filtered")
        assertThat(handlers.seen).contains("filtered accepted").doesNotContain("filtered left out")
    }

    @Test
    fun `a message is acknowledged by hand after the function was suspended`() {
        queues.send("k-manual", "x")
        application.awaitHandled("k-manual")
        assertThat(handlers.seen).contains("manual")
    }

    @Test
    fun `an exception is that of the function, and the message is tried again`() {
        queues.send("k-failing", "before")
        queues.send("k-failing", "after")
        application.awaitHandled("k-failing")
        assertThat(dead("k-failing")).hasSize(2).allSatisfy {
            assertThat(it.failures()).isEqualTo(2)
            assertThat(it.death()!!.exception()).isEqualTo(IllegalStateException::class.java.name)
            assertThat(it.death()!!.message()).contains("thrown by the handler")
        }
    }

    @Test
    fun `a time-out of Kotlin is a failure, and not an end`() {
        queues.send("k-timeout", "x")
        application.awaitHandled("k-timeout")
        assertThat(dead("k-timeout").single().death()!!.exception()).endsWith("TimeoutCancellationException")
    }

    @Test
    fun `a coroutine that the function launches belongs to it`() {
        queues.send("k-launch", "ok")
        application.awaitHandled("k-launch")
        assertThat(handlers.seen).contains("launched")
        queues.send("k-launch", "fails")
        application.awaitHandled("k-launch")
        assertThat(dead("k-launch").single().death()!!.message()).contains("launched in vain")
    }

    @Test
    fun `what a function returns is kept, and nothing of one that returns nothing`() {
        assertThat(result("k-result")).isEqualTo("""{"id":"r","amount":7}""")
        assertThat(result("k-unit")).isNullOrEmpty()
    }

    private fun result(queue: String): String? {
        queues.send(OutboundMessage.to(queue, "x").id("one"))
        await().until { application.admin.messages().find(queue, "one").filter { it.completedAt() != null }.isPresent }
        return application.admin.messages().find(queue, "one").get().result()?.let { String(it) }
    }

    @Test
    fun `a flow that a handler returns is collected`() {
        queues.send("k-returned-flow", "x")
        application.awaitHandled("k-returned-flow")
        assertThat(handlers.seen).contains("collected 1", "collected 2")
    }

    @Test
    fun `each thread of the coroutine knows the message and its log entries`() {
        queues.send(OutboundMessage.to("k-context", "x").id("c-1"))
        application.awaitHandled("k-context")
        await().until { handlers.seen.contains("next step") }
        assertThat(handlers.seen).contains("context c-1 on another thread", "context c-1 on redelay-handler")
    }

    @Test
    fun `a failed coroutine sends nothing with inDelivery`() {
        queues.send("k-context", "fails")
        application.awaitHandled("k-context")
        assertThat(handlers.seen.count { it == "next step of a failure" }).isZero()
    }

    @Test
    fun `each payload type has its function`() {
        queues.send(OutboundMessage.to("k-typed", Order("o", 1)).payloadType("placed"))
        queues.send(OutboundMessage.to("k-typed", Order("o", 1)).payloadType("paid"))
        application.awaitHandled("k-typed")
        assertThat(application.bean<TypedHandlers>().seen).containsExactlyInAnyOrder("placed o", "paid o")
    }

    @Test
    fun `ticks go to a suspend function, which hands on a state`() {
        await().until { handlers.seen.contains("tick 2") }
        assertThat(handlers.seen).containsOnlyOnce("tick 1", "tick 2")
    }

    @Test
    fun `a suspend function that is asynchronous, or makes a payload, is refused`() {
        assertThat(assertThrows<Exception> { KotlinApplication(Asynchronous::class).close() })
            .hasStackTraceContaining("Leave @Async out")
        assertThat(assertThrows<Exception> { KotlinApplication(PayloadMaker::class).close() })
            .hasStackTraceContaining("Leave suspend out")
    }

    private fun dead(queue: String): List<QueuedMessage> =
        application.admin.messages().browse(queue, MessageState.DEAD, 0, 10).messages()

    class Handlers(private val queues: QueueOperations) {

        val seen = ConcurrentLinkedQueue<String>()

        val gate = CompletableDeferred<Unit>()

        @QueueListener("k-slow")
        suspend fun slow(text: String) {
            seen.add("slow began")
            gate.await()
            seen.add("slow ended")
        }

        @QueueListener("k-all")
        suspend fun all(
            order: Order,
            @Header tenant: String,
            info: DeliveryInfo,
            delivery: MessageDelivery,
            token: CancellationToken,
        ) {
            yield()
            seen.add("all $order $tenant ${info.id()} ${delivery.info().queue()} ${delivery.info().id()} ${token.reason()}")
        }

        @QueueListener("k-message")
        suspend fun message(message: Message<Order>) {
            yield()
            seen.add("message ${message.payload}")
        }

        @QueueListener("k-filtered", filter = "noTests")
        suspend fun filtered(text: String) {
            delay(1)
            seen.add("filtered $text")
        }

        @QueueListener("k-manual", ackMode = AckMode.MANUAL)
        suspend fun manual(text: String, acknowledgment: Acknowledgment) {
            delay(1)
            seen.add("manual")
            acknowledgment.acknowledge()
        }

        @QueueListener("k-failing")
        suspend fun failing(whether: String) {
            if (whether == "after") {
                delay(1)
            }
            error("thrown by the handler")
        }

        @QueueListener("k-timeout")
        suspend fun timeout(text: String): Unit = withTimeout(1) { awaitCancellation() }

        @QueueListener("k-launch")
        suspend fun launching(text: String) {
            CoroutineScope(currentCoroutineContext()).launch {
                delay(20)
                check(text == "ok") { "launched in vain" }
                seen.add("launched")
            }
        }

        @QueueListener("k-result")
        suspend fun result(text: String): Order {
            yield()
            return Order("r", 7)
        }

        @QueueListener("k-unit")
        suspend fun unit(text: String) = yield()

        @QueueListener("k-returned-flow")
        fun returnedFlow(text: String): Flow<Int> = flowOf(1, 2).map {
            delay(1)
            seen.add("collected $it")
            it
        }

        @QueueListener("k-context")
        suspend fun context(text: String) {
            if (text == "fails") {
                delay(1)
                queues.send(OutboundMessage.to("k-next", "of a failure").inDelivery())
                error("after the next step")
            }
            withContext(Dispatchers.Default) {
                delay(1)
                seen.add("context ${MDC.get(QueueMdc.ID)} on another thread")
            }
            seen.add("context ${MDC.get(QueueMdc.ID)} on ${Thread.currentThread().name.substringBeforeLast('-')}")
            queues.send(OutboundMessage.to("k-next", "").inDelivery())
        }

        @QueueListener("k-next")
        suspend fun next(text: String) {
            seen.add("next step $text".trim())
        }

        @QueueListener("k-ticks")
        @RecurringMessage(name = "k-tick", every = "1s")
        suspend fun tick(state: RecurringState<Int>) {
            yield()
            val run = state.get().orElse(0) + 1
            state.set(run)
            seen.add("tick $run")
        }
    }

    open class Asynchronous {

        @Async
        @QueueListener("k-async")
        open suspend fun handle(text: String) = Unit
    }

    class PayloadMaker {

        @RecurringMessage(name = "k-maker", queue = "k-maker", every = "1h")
        suspend fun payload() = "text"
    }

    @QueueListener("k-typed")
    class TypedHandlers {

        val seen = ConcurrentLinkedQueue<String>()

        @QueueHandler("placed")
        suspend fun placed(order: Order) {
            yield()
            seen.add("placed ${order.id}")
        }

        @QueueHandler("paid")
        fun paid(order: Order) {
            seen.add("paid ${order.id}")
        }
    }

    @Component("noTests")
    class NoTests : DeliveryFilter {

        override fun accepts(message: Message<*>) = !message.headers.containsKey("test")
    }

    companion object {

        private val application = KotlinApplication(
            Handlers::class,
            NoTests::class,
            TypedHandlers::class,
            properties = listOf("k-result", "k-unit").flatMap {
                listOf(
                    "redelay.queue.queues.$it.completed.max-count" to 10,
                    "redelay.queue.queues.$it.completed.results" to true,
                )
            }.toMap(),
        )

        @AfterAll
        @JvmStatic
        fun close() = application.close()
    }
}

data class Order(val id: String, val amount: Int)
