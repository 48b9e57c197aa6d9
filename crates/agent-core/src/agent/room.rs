//! Keeping the conversation within the model's window.

use std::sync::Arc;

use agent_llm::{Message, Purpose, Reply, Request, ToolChoice};
use agent_tools::limit;

use super::run::Run;
use crate::{
    Event, NoReply, prompt,
    protocol::plain,
    session::Note,
    window::{self, Compaction, Digest, Plan, Room, tokens},
};

/// The most tokens that a summary may have.
const SUMMARY: u64 = 4000;

impl Run<'_> {
    /// One model call over the whole conversation, which is made to fit first. Where the server
    /// knows of a smaller window, it is shortened once more.
    pub(super) async fn call(
        &mut self,
        purpose: Purpose,
        tool_choice: ToolChoice,
    ) -> Result<Reply, NoReply> {
        let messages = |run: &Self| run.fold.conversation.messages();
        self.call_with(|run| run.request_of(purpose, tool_choice, messages(run))).await
    }

    /// The same with a request of another form.
    pub(super) async fn call_with(
        &mut self,
        request: impl Fn(&Self) -> Request,
    ) -> Result<Reply, NoReply> {
        self.make_room().await?;
        let model = Arc::clone(&self.agent.model);
        let size = self.size();
        let fitted = model.gauge().holds(size);
        let reply = self.send(request(self)).await;
        let Err(NoReply::Failed(error)) = &reply else { return reply };
        if !fitted || !model.gauge().refused(size, error) {
            return reply;
        }
        self.make_room().await?;
        if self.size() == size {
            return reply;
        }
        let window = model.gauge().window().unwrap_or_default();
        self.agent.sink.emit(&Event::Warning(format!(
            "the request was too long for the server; a window of {window} tokens is assumed from \
             here on, which `context_window` sets beforehand"
        )));
        self.send(request(self)).await
    }

    async fn send(&mut self, request: Request) -> Result<Reply, NoReply> {
        self.flush().await;
        self.agent.model.call(request, self.size(), &self.cx.cancel).await
    }

    fn request_of(
        &self,
        purpose: Purpose,
        tool_choice: ToolChoice,
        messages: Vec<Arc<Message>>,
    ) -> Request {
        let (messages, tools) = match &self.json {
            Some(_) => (plain(&messages), Arc::default()),
            None => (messages, Arc::clone(&self.fold.tools)),
        };
        Request { tools, tool_choice, ..Request::new(purpose, messages) }
    }

    /// What the next request takes, in estimated tokens.
    fn size(&self) -> u64 {
        self.tools_tokens() + self.fold.conversation.tokens()
    }

    /// What the tools on offer take of it. JSON decisions are asked for without them.
    fn tools_tokens(&self) -> u64 {
        if self.json.is_some() { 0 } else { self.fold.tools_tokens }
    }

    fn room(&self) -> Option<Room> {
        self.agent.model.gauge().room()
    }

    /// A text that comes into the conversation, in no more than its share of the window.
    pub(super) fn bounded(&self, text: &str, most: usize) -> String {
        limit::head_tail(text, self.bounds(most)).into_owned()
    }

    /// The share of the window that one message may take, in bytes, and no more than `most`.
    pub(super) fn bounds(&self, most: usize) -> usize {
        self.room().map_or(most, |room| most.min(window::bytes(room.one_message())))
    }

    /// Shortens the conversation where it does not fit.
    async fn make_room(&mut self) -> Result<(), NoReply> {
        let Some(room) = self.room() else { return Ok(()) };
        let plan = self.fold.conversation.plan(self.tools_tokens(), room);
        let compaction = match plan {
            // What does not fit is refused when it is sent, with the numbers.
            Plan::Keep | Plan::Hopeless => return Ok(()),
            Plan::Shorten(shorten) => Compaction { shorten, digest: None },
            Plan::Digest { before, shorten } => {
                let summary = self.summary(before).await?;
                let bytes = window::bytes(room.digest);
                let text = self.fold.conversation.digest(before, summary.as_deref(), bytes);
                Compaction { shorten, digest: Some(Digest { before, text }) }
            }
        };
        let before = self.size();
        let left_out = compaction.digest.as_ref().map_or(0, |digest| digest.before);
        self.keep(&Note::Compacted(compaction));
        let after = self.size();
        self.agent.sink.emit(&Event::Compacted { before, after, left_out });
        Ok(())
    }

    /// A model's summary of the messages before a position; none where it can't be had, for which
    /// the digest tells the story by itself.
    async fn summary(&mut self, before: usize) -> Result<Option<String>, NoReply> {
        let mut messages = self.fold.conversation.messages();
        messages.truncate(before);
        messages.push(Arc::new(Message::User(prompt::SUMMARY.to_owned())));
        let mut request = self.request_of(Purpose::Summary, ToolChoice::None, messages);
        request.max_output_tokens = u32::try_from(SUMMARY).ok();
        let size = tokens::of_request(&request);
        let reply = self.agent.model.call(request, size, &self.cx.cancel).await;
        self.keep_asides();
        match reply {
            Ok(reply) => {
                self.agent.model.replied(Purpose::Summary, &reply);
                Ok(Some(reply.text()).filter(|text| !text.trim().is_empty()))
            }
            Err(NoReply::Cancelled(signal)) => Err(NoReply::Cancelled(signal)),
            // The next request meets the same limit.
            Err(NoReply::Exhausted(_)) => Ok(None),
            Err(NoReply::Failed(error)) => {
                self.agent.sink.emit(&Event::Warning(format!(
                    "no summary of the earlier steps could be had ({error}); a list of them takes \
                     its place"
                )));
                Ok(None)
            }
        }
    }
}
