package io.redelay.kotlin

import io.redelay.queue.batch.BatchFailedException
import io.redelay.queue.MessageState
import io.redelay.queue.OutboundMessage
import io.redelay.queue.QueueListener
import io.redelay.queue.listener.QueueListeners
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collectIndexed
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.job
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.springframework.messaging.Message
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * Batches that are flows.
 */
class FlowBatchIntegrationTests {

    private val handlers = application.bean<Handlers>()

    private val seen = handlers.seen

    @Test
    fun `a batch is a flow of payloads, or of messages`() {
        send("k-flow", 3)
        application.awaitHandled("k-flow")
        assertThat(seen).contains(*Array(3) { "flow Order(id=o-$it, amount=1)" })
        send("k-flow-messages", 2)
        application.awaitHandled("k-flow-messages")
        assertThat(seen).contains(*Array(2) { "messages Order(id=o-$it, amount=1)" })
    }

    @Test
    fun `a function that is no suspend function returns what is to be collected`() {
        send("k-flow-mapped", 2)
        application.awaitHandled("k-flow-mapped")
        assertThat(seen).contains("mapped o-0", "mapped o-1")
    }

    @Test
    fun `what does not fit is not in the flow`() {
        application.queues.sendAll(
            listOf(OutboundMessage.to("k-flow", "text"), OutboundMessage.to("k-flow", Order("fits", 1))),
        )
        application.awaitHandled("k-flow")
        assertThat(seen).contains("flow Order(id=fits, amount=1)")
        assertThat(application.admin.queues().info("k-flow").dead()).isOne()
    }

    @Test
    fun `the message that an exception names is tried again, and the others are done`() {
        send("k-flow-failing", 3)
        application.awaitHandled("k-flow-failing")
        val dead = application.admin.messages().browse("k-flow-failing", MessageState.DEAD, 0, 10).messages()
        assertThat(dead.map { it.payloadAsText() }).containsExactly("""{"id":"o-1","amount":1}""")
    }

    @Test
    fun `a flow ends in the middle when its listener stops, and the messages are delivered again`() {
        send("k-flow-stopped", 3)
        await().until { seen.contains("first of the stopped") }
        application.bean<QueueListeners>().stop("flow-stopped").get()
        assertThat(seen).doesNotContain("second of the stopped")
        assertThat(application.admin.queues().info("k-flow-stopped").ready()).isEqualTo(3)
    }

    private fun send(queue: String, count: Int) {
        application.queues.sendAll(List(count) { OutboundMessage.to(queue, Order("o-$it", 1)) })
    }

    class Handlers {

        val seen = ConcurrentLinkedQueue<String>()

        @QueueListener("k-flow")
        suspend fun flow(orders: Flow<Order>) = orders.collect {
            yield()
            seen.add("flow $it")
        }

        @QueueListener("k-flow-messages")
        suspend fun messages(orders: Flow<Message<Order>>) {
            orders.toList().forEach { seen.add("messages ${it.payload}") }
        }

        @QueueListener("k-flow-mapped")
        fun mapped(orders: Flow<Order>): Flow<Unit> = orders.map {
            yield()
            seen.add("mapped ${it.id}")
        }

        @QueueListener("k-flow-failing", batchTimeout = "1s", batchSize = "3")
        suspend fun failing(orders: Flow<Order>) = orders.collectIndexed { index, order ->
            yield()
            if (order.id == "o-1") {
                throw BatchFailedException(index, IllegalStateException("refused"))
            }
        }

        @QueueListener("k-flow-stopped", id = "flow-stopped", batchTimeout = "1s", batchSize = "3")
        suspend fun stopped(orders: Flow<Order>) = orders.collectIndexed { index, _ ->
            seen.add(if (index == 0) "first of the stopped" else "second of the stopped")
            val handling = currentCoroutineContext().job
            withContext(NonCancellable) {
                while (handling.isActive) {
                    delay(10)
                }
            }
        }
    }

    companion object {

        private val application = KotlinApplication(Handlers::class)

        @AfterAll
        @JvmStatic
        fun close() = application.close()
    }
}
