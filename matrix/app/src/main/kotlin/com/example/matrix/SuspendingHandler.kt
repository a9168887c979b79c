package com.example.matrix

import io.redelay.queue.QueueListener
import kotlinx.coroutines.delay
import org.springframework.stereotype.Component

/**
 * A handler in Kotlin that suspends, with a payload that is a data class.
 */
@Component
class SuspendingHandler(private val seen: Seen) {

    @QueueListener("kotlin")
    suspend fun handle(order: Order) {
        delay(20)
        seen.note("kotlin", Item(order.run, order.number))
    }

    data class Order(val run: String, val number: Int)

}
